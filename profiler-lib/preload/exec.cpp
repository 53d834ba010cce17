// SPDX-License-Identifier: Apache-2.0
// The functions that replace the program of a process: nothing of this one runs after them, so they end
// the recording. If the call then fails, the program goes on, and the rest of it is not recorded. So the
// recording is ended only if the file looks as if the system can run it: a regular file with the
// right to be executed, in the ELF format, or a script whose interpreter is there.
//
// A child of fork() or vfork() that has recorded nothing ends nothing: the runtime compares process ids.
//
// If that takes too long, a watchdog (watchdog.h) replaces the program, by a system call. Not for the
// functions that take a descriptor.
#include "preload/next_function.h"
#include "preload/watchdog.h"

#include <alloca.h>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tp::preload;

namespace {

using Words = char* const*;

TP_NEXT NextFunction<int(const char*, Words, Words)> next_execve("execve"), next_execvpe("execvpe");
TP_NEXT NextFunction<int(int, const char*, Words, Words, int)> next_execveat("execveat");
TP_NEXT NextFunction<int(int, Words, Words)> next_fexecve("fexecve");

char watched_path[PATH_MAX];
Words watched_arguments, watched_environment;
std::atomic<bool> is_watched{false};

constinit Watchdog exec_watchdog([]() noexcept {
  if (is_watched.load(std::memory_order_relaxed))
    syscall(SYS_execve, watched_path, watched_arguments, watched_environment);
});

// `by_shell`: what is of no known format is run by the shell.
bool is_file_to_run(int file, bool by_shell = false) {
  struct stat found{};
  char begin[256] = {};
  if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode))
    return false;
  if (pread(file, begin, sizeof begin - 1, 0) < 4)
    return by_shell;
  if (std::memcmp(begin, "\177ELF", 4) == 0)
    return true;
  if (begin[0] != '#' || begin[1] != '!')
    return by_shell;
  char* const interpreter = begin + 2 + std::strspn(begin + 2, " \t");
  interpreter[std::strcspn(interpreter, " \t\n")] = '\0';
  return access(interpreter, X_OK) == 0;
}

bool can_run(const char* path, bool by_shell) {
  if (access(path, X_OK) != 0)
    return false;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return errno == EACCES; // it may be executed, but not read
  const bool found = is_file_to_run(file, by_shell);
  close(file);
  return found;
}

// The file that execvp() would run, in watched_path. False: none.
bool find_program(const char* name) {
  if (std::strchr(name, '/') != nullptr || name[0] == '\0') {
    if (std::strlen(name) >= sizeof watched_path)
      return false;
    std::strcpy(watched_path, name);
    return can_run(watched_path, true);
  }
  const char* folders = std::getenv("PATH");
  if (folders == nullptr)
    folders = "/bin:/usr/bin";
  for (;;) {
    const std::size_t length = std::strcspn(folders, ":");
    if (length + 1 + std::strlen(name) < sizeof watched_path) {
      std::memcpy(watched_path, folders, length);
      std::strcpy(watched_path + length, length > 0 ? "/" : "");
      std::strcat(watched_path, name);
      if (can_run(watched_path, true))
        return true;
    }
    if (folders[length] == '\0')
      return false;
    folders += length + 1;
  }
}

bool records() {
  return tp_end_recording != nullptr && tp_is_recording_here() != 0;
}

// What follows is a call of the C library's function.
void end_before_exec(Words arguments, Words environment) {
  watched_arguments = arguments;
  watched_environment = environment;
  is_watched.store(true, std::memory_order_relaxed);
  exec_watchdog.end_recording();
}

// It has failed.
int after(int result) {
  is_watched.store(false, std::memory_order_relaxed);
  return result;
}

int run_path(const char* path, Words arguments, Words environment) {
  const int before = errno;
  if (records() && std::strlen(path) < sizeof watched_path && can_run(path, false)) {
    std::strcpy(watched_path, path);
    end_before_exec(arguments, environment);
  }
  errno = before;
  return after(next_execve.get()(path, arguments, environment));
}

int run_name(const char* name, Words arguments, Words environment) {
  const int before = errno;
  if (records() && find_program(name))
    end_before_exec(arguments, environment);
  errno = before;
  return after(next_execvpe.get()(name, arguments, environment));
}

// `arguments`: those of a function that gets them one by one, with the null at their end; then `list`
// is at what comes after it.
#define TP_ARGUMENTS(first)                                                                        \
  std::va_list list;                                                                               \
  std::size_t count = 0;                                                                           \
  va_start(list, first);                                                                           \
  for (const char* each = first; each != nullptr; each = va_arg(list, const char*))                \
    ++count;                                                                                       \
  va_end(list);                                                                                    \
  auto* const arguments = static_cast<char**>(alloca((count + 1) * sizeof(char*)));                \
  arguments[0] = const_cast<char*>(first);                                                         \
  va_start(list, first);                                                                           \
  for (std::size_t i = 1; i <= count; ++i)                                                         \
  arguments[i] = va_arg(list, char*)

} // namespace

#define TP_EXPORT [[gnu::visibility("default")]]

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name, cert-dcl50-cpp)
extern "C" {

TP_EXPORT int execve(const char* path, Words arguments, Words environment) noexcept {
  return run_path(path, arguments, environment);
}

TP_EXPORT int execv(const char* path, Words arguments) noexcept {
  return run_path(path, arguments, environ);
}

TP_EXPORT int execvp(const char* name, Words arguments) noexcept {
  return run_name(name, arguments, environ);
}

TP_EXPORT int execvpe(const char* name, Words arguments, Words environment) noexcept {
  return run_name(name, arguments, environment);
}

TP_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  TP_ARGUMENTS(first);
  va_end(list);
  return run_path(path, arguments, environ);
}

TP_EXPORT int execlp(const char* name, const char* first, ...) noexcept {
  TP_ARGUMENTS(first);
  va_end(list);
  return run_name(name, arguments, environ);
}

TP_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  TP_ARGUMENTS(first);
  const Words environment = va_arg(list, Words);
  va_end(list);
  return run_path(path, arguments, environment);
}

TP_EXPORT int fexecve(int file, Words arguments, Words environment) noexcept {
  const int before = errno;
  if (records() && is_file_to_run(file))
    tp_end_recording();
  errno = before;
  return next_fexecve.get()(file, arguments, environment);
}

// Null where the C library has no such function: no program calls it then.
TP_EXPORT int execveat(int folder, const char* path, Words arguments, Words environment,
                       int flags) noexcept {
  const int before = errno;
  if (records()) {
    const int file = (flags & AT_EMPTY_PATH) != 0 && path[0] == '\0'
                         ? fcntl(folder, F_DUPFD_CLOEXEC, 0)
                         : openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && is_file_to_run(file))
      tp_end_recording();
    if (file >= 0)
      close(file);
  }
  errno = before;
  return next_execveat.get()(folder, path, arguments, environment, flags);
}

} // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name, cert-dcl50-cpp)
