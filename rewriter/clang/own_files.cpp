// SPDX-License-Identifier: Apache-2.0
// The search path decides whether a header is a system header, not what the file declares itself to
// be: otherwise the headers that CMake's precompiled header includes would count as system headers.
#include "clang/own_files.h"

#include "text/project.h"

namespace tp::rewrite {
namespace {

std::string path_of(clang::FileEntryRef entry) {
  const llvm::StringRef real = entry.getFileEntry().tryGetRealPathName();
  return canonical(real.empty() ? entry.getName().str() : real.str());
}

} // namespace

bool OwnFiles::contains(clang::FileID file) {
  if (file.isInvalid())
    return false;
  if (file == sources_.getMainFileID())
    return true;
  const auto [known, is_new] = known_.try_emplace(file.getHashValue(), false);
  if (is_new)
    known->second = is_own_header(file);
  return known->second;
}

bool OwnFiles::is_own_header(clang::FileID file) {
  const auto entry = sources_.getFileEntryRefForID(file);
  if (!entry || headers_.getFileDirFlavor(*entry) != clang::SrcMgr::C_User)
    return false;
  if (root_.empty())
    root_ = project_root(path_of(*sources_.getFileEntryRefForID(sources_.getMainFileID())));
  return is_below(path_of(*entry), root_);
}

} // namespace tp::rewrite
