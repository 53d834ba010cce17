// SPDX-License-Identifier: Apache-2.0
// The user's own files: the main file and the non-system headers of the same project.
#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Preprocessor.h>

#include <string>
#include <unordered_map>

namespace tp::rewrite {

class OwnFiles {
public:
  explicit OwnFiles(clang::Preprocessor& preprocessor)
      : sources_(preprocessor.getSourceManager()), headers_(preprocessor.getHeaderSearchInfo()) {}

  bool contains(clang::FileID file);

private:
  bool is_own_header(clang::FileID file);

  const clang::SourceManager& sources_;
  clang::HeaderSearch& headers_;
  std::string root_;
  std::unordered_map<unsigned, bool> known_;
};

} // namespace tp::rewrite
