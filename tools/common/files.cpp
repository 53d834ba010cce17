// SPDX-License-Identifier: Apache-2.0
// See files.h.
#include "common/files.h"

#include "common/failure.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tp::tool {
namespace {

namespace fs = std::filesystem;

// Writes all of `text`. False: errno is the reason.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return false;
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  return true;
}

bool write_to(const std::string& path, int flags, mode_t mode, const std::string& text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, mode);
  if (descriptor < 0)
    return false;
  const bool written = write_all(descriptor, text);
  const int reason = errno;
  const bool closed = ::close(descriptor) == 0;
  if (!written)
    errno = reason;
  return written && closed;
}

bool replace(const std::string& path, const struct stat* old, const std::string& text) {
  const std::string temporary = path + ".tmp." + std::to_string(getpid());
  if (write_to(temporary, O_CREAT | O_TRUNC, 0666, text) &&
      (!old || ::chmod(temporary.c_str(), old->st_mode & 07777) == 0) &&
      ::rename(temporary.c_str(), path.c_str()) == 0)
    return true;
  const int reason = errno;
  ::unlink(temporary.c_str());
  errno = reason;
  return false;
}

} // namespace

std::optional<std::string> read_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return std::nullopt;
  std::string text;
  char part[65536];
  ssize_t size = 0;
  while ((size = ::read(descriptor, part, sizeof part)) > 0 || (size < 0 && errno == EINTR))
    if (size > 0)
      text.append(part, static_cast<std::size_t>(size));
  const int reason = errno;
  ::close(descriptor);
  errno = reason;
  return size == 0 ? std::optional(std::move(text)) : std::nullopt;
}

void write_file(const std::string& path, const std::string& text) {
  if (const fs::path parent = fs::path(path).parent_path(); !parent.empty()) {
    std::error_code ignored; // opening the file reports the reason
    fs::create_directories(parent, ignored);
  }
  struct stat old{};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  const bool is_special = exists && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode);
  const bool good =
      is_special ? write_to(path, 0, 0, text) : replace(path, exists ? &old : nullptr, text);
  if (!good)
    throw Failure(path, std::string("cannot be written: ") + std::strerror(errno),
                  "choose a directory that you can write to");
}

void require_replaceable(const std::string& path, const OutputKind& kind) {
  struct stat old{};
  if (::stat(path.c_str(), &old) != 0 || !S_ISREG(old.st_mode) || old.st_size == 0)
    return;
  const std::optional<std::string> text = read_file(path);
  if (text && kind.is_own(*text))
    return;
  throw Failure(path,
                text
                    ? "it exists, and is not " + kind.name + " that Taskpath wrote: not overwritten"
                    : std::string("it exists, and cannot be read: ") + std::strerror(errno),
                "choose another name for the output, or remove the file");
}

void write_outputs(const std::vector<Output>& outputs) {
  for (const Output& output : outputs)
    require_replaceable(output.path, output.kind);
  for (const Output& output : outputs)
    write_file(output.path, output.text);
}

void check_answer(bool written) {
  if (!written)
    throw Failure("standard output", std::string("cannot be written: ") + std::strerror(errno),
                  "write to a file or pipe that is open and has room");
}

void write_answer(const std::string& text) {
  check_answer(write_all(STDOUT_FILENO, text));
}

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "%+,-./:=@_^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos)
    return word;
  std::string quoted = "'";
  for (const char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_quoted(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words)
    command += (command.empty() ? "" : " ") + shell_quoted(word);
  return command;
}

} // namespace tp::tool
