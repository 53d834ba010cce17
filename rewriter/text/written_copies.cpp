// SPDX-License-Identifier: Apache-2.0
// The list has a line "HASH PATH" for each copy, after a line that says what it is.
#include "text/written_copies.h"

#include "common/failure.h"
#include "common/files.h"
#include "text/hex.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace tp::rewrite {
namespace {

using tool::Failure;

constexpr std::string_view kHeader = "# copies that tp-rewrite --out wrote into this folder\n";
constexpr std::size_t kHashSize = 16;

std::string hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
  for (const unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3u;
  return hex(hash);
}

std::string list_of(const std::string& directory) {
  return directory + "/.tp-rewrite";
}

} // namespace

WrittenCopies::WrittenCopies(std::string directory) : directory_(std::move(directory)) {
  const std::string text = tool::read_file(list_of(directory_)).value_or("");
  if (text.empty())
    return;
  if (!text.starts_with(kHeader))
    throw Failure(list_of(directory_), "not a list of tp-rewrite's copies",
                  "choose another folder for --out");
  std::string_view rest = std::string_view(text).substr(kHeader.size());
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.size() > kHashSize + 1)
      hashes_[std::string(line.substr(kHashSize + 1))] = line.substr(0, kHashSize);
  }
}

void WrittenCopies::require_replaceable(const std::string& path) const {
  const std::string file = directory_ + "/" + path;
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, error)))
    return;
  const auto text = tool::read_file(file);
  const auto known = hashes_.find(path);
  if (text && known != hashes_.end() && known->second == hash_of(*text))
    return;
  throw Failure(file,
                known == hashes_.end()
                    ? "it exists, and is not a copy that tp-rewrite wrote: not overwritten"
                    : "it was edited since tp-rewrite wrote it: not overwritten",
                "choose another folder for --out, or remove the file");
}

void WrittenCopies::add(const std::string& path, const std::string& text) {
  hashes_[path] = hash_of(text);
}

void WrittenCopies::write() const {
  std::string text(kHeader);
  for (const auto& [path, hash] : hashes_)
    text.append(hash).append(" ").append(path).append("\n");
  tool::write_file(list_of(directory_), text);
}

} // namespace tp::rewrite
