// SPDX-License-Identifier: Apache-2.0
// Files that tools read and write. A file is never half written: readers see either the old file or
// the new one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tp::tool {

// Empty if the file cannot be read: errno is the reason.
std::optional<std::string> read_file(const std::string& path);

// Writes to a temporary file in the same directory, with the mode of the file that it replaces, and
// renames it. Creates missing directories. Writes directly to a file that is not regular (a device,
// a pipe). Throws Failure.
void write_file(const std::string& path, const std::string& text);

// A kind of file that our tools write.
struct OutputKind {
  std::string name;                      // such as "a profile in CSV"
  bool (*is_own)(std::string_view text); // whether a text is such a file of ours
};
// Throws Failure if `path` is a regular file with other content than one of this kind: nothing of
// the user's is overwritten.
void require_replaceable(const std::string& path, const OutputKind& kind);

struct Output {
  std::string path;
  OutputKind kind;
  std::string text;
};
// Checks that every output is replaceable, and then writes them. Throws Failure.
void write_outputs(const std::vector<Output>& outputs);

// Writes to standard output. Throws Failure.
void write_answer(const std::string& text);
// For code that writes to standard output by other means: throws Failure if `written` is false.
void check_answer(bool written);

// Quotes one word for a shell command.
std::string shell_quoted(const std::string& word);
std::string shell_quoted(const std::vector<std::string>& words);

} // namespace tp::tool
