// SPDX-License-Identifier: Apache-2.0
// Which files in the folder of `tp-rewrite --out` are copies that tp-rewrite wrote: it keeps a list
// with their hashes in DIR/.tp-rewrite. Any other file, and a copy that was edited since, is the
// user's and is not overwritten.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tp::rewrite {

class WrittenCopies {
public:
  // Reads the list; none: nothing was written so far. Throws tool::Failure if a file with the name
  // of the list is not one.
  explicit WrittenCopies(std::string directory);

  // `path`: of a copy, below the folder. Throws tool::Failure if it exists and is not one.
  void require_replaceable(const std::string& path) const;
  void add(const std::string& path, const std::string& text);
  // Throws tool::Failure.
  void write() const;

private:
  std::string directory_;
  std::map<std::string, std::string> hashes_; // by path
};

} // namespace tp::rewrite
