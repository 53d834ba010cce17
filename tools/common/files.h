// Files that tools read and write. Nothing is ever half written: readers see the old file or the new
// one.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tp::tool {

// Nothing if the file cannot be read: errno is the reason.
std::optional<std::string> read_file(const std::string& path);

// Writes to a temporary file in the same directory, which takes over the mode of the file that it
// replaces, and renames it. Missing directories are made. A file that is not regular (a device, a pipe)
// is written to, not replaced. Throws Failure.
void write_file(const std::string& path, const std::string& text);

// To standard output. Throws Failure.
void write_answer(const std::string& text);
// Standard output was written to by other means: throws Failure if it took no more.
void check_answer(bool written);

// One word of a shell command.
std::string shell_quoted(const std::string& word);
std::string shell_quoted(const std::vector<std::string>& words);

} // namespace tp::tool
