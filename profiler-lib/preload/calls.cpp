// SPDX-License-Identifier: Apache-2.0
// The C library's functions that may sleep until a file, a device, the clock or a child process lets them go
// on: what a thread slept in. Where it was on its CPU all the time, this costs a few ns; else what it
// lost is looked up, and what the descriptor is.
//
// Not seen, so that the recording does not say what it was: calls inside of the C library (but for the
// functions of stdio below), those of other libraries that make system calls themselves, asynchronous input
// and output, and locks of files.
#include "preload/hooks.h"
#include "preload/next_function.h"
#include "preload/waiting.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <type_traits>
#include <unistd.h>

using namespace tp::preload;

namespace {

enum class Way { Reads, Writes };

bool is_timer(int descriptor) noexcept {
  char path[32], name[32];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  const ssize_t size = readlink(path, name, sizeof name);
  return size > 0 &&
         std::string_view(name, static_cast<std::size_t>(size)) == "anon_inode:[timerfd]";
}

// What it is to read or write there.
unsigned kind_of(int descriptor, Way way) noexcept {
  struct stat status{};
  if (fstat(descriptor, &status) != 0)
    return TP_SLEEP_UNKNOWN;
  const bool reads = way == Way::Reads;
  switch (status.st_mode & S_IFMT) {
  case S_IFREG:
  case S_IFBLK:
  case S_IFDIR:
    return reads ? TP_SLEEP_READ_FILE : TP_SLEEP_WRITE_FILE;
  case S_IFIFO:
    return reads ? TP_SLEEP_READ_PIPE : TP_SLEEP_WRITE_PIPE;
  case S_IFSOCK:
    return reads ? TP_SLEEP_READ_SOCKET : TP_SLEEP_WRITE_SOCKET;
  case S_IFCHR:
    return reads ? TP_SLEEP_READ_DEVICE : TP_SLEEP_WRITE_DEVICE;
  case 0: // of the kernel's own
    return is_timer(descriptor) ? TP_SLEEP_CLOCK : TP_SLEEP_UNKNOWN;
  default:
    return TP_SLEEP_UNKNOWN;
  }
}

// What a call sleeps in.
struct Descriptor {
  int number;
  Way way;
  unsigned kind() const noexcept { return kind_of(number, way); }
};
struct Stream {
  std::FILE* file;
  Way way;
  unsigned kind() const noexcept { return kind_of(fileno(file), way); }
};
constexpr Known kChild{TP_SLEEP_CHILD_PROCESS};
Descriptor reads(int file) noexcept {
  return {file, Way::Reads};
}
Descriptor writes(int file) noexcept {
  return {file, Way::Writes};
}
Stream reads(std::FILE* file) noexcept {
  return {file, Way::Reads};
}
Stream writes(std::FILE* file) noexcept {
  return {file, Way::Writes};
}

constexpr const char* symbol_of(const char* name) noexcept {
  return std::string_view(name) == "tp_getline" ? "getline" : name;
}

} // namespace

// The C library's headers have reserved names.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
#define TP_EXPORT [[gnu::visibility("default")]]

// A function, of what it sleeps in: its result, name, parameters and arguments.
#define TP_CALL(what, result, name, parameters, ...)                                               \
  TP_NEXT static NextFunction<result parameters> next_##name(symbol_of(#name));                    \
  TP_EXPORT result name parameters {                                                               \
    return calling(what, next_##name, __VA_ARGS__);                                                \
  }

extern "C" {

TP_CALL(reads(file), ssize_t, read, (int file, void* data, size_t size), file, data, size)
TP_CALL(writes(file), ssize_t, write, (int file, const void* data, size_t size), file, data, size)
TP_CALL(reads(file), ssize_t, readv, (int file, const iovec* parts, int count), file, parts, count)
TP_CALL(writes(file), ssize_t, writev, (int file, const iovec* parts, int count), file, parts,
        count)
TP_CALL(reads(file), ssize_t, pread, (int file, void* data, size_t size, off_t at), file, data,
        size, at)
TP_CALL(reads(file), ssize_t, pread64, (int file, void* data, size_t size, off64_t at), file, data,
        size, at)
TP_CALL(writes(file), ssize_t, pwrite, (int file, const void* data, size_t size, off_t at), file,
        data, size, at)
TP_CALL(writes(file), ssize_t, pwrite64, (int file, const void* data, size_t size, off64_t at),
        file, data, size, at)
TP_CALL(writes(file), int, fsync, (int file), file)
TP_CALL(writes(file), int, fdatasync, (int file), file)

// What programs compiled with _FORTIFY_SOURCE call.
TP_CALL(reads(file), ssize_t, __read_chk, (int file, void* data, size_t size, size_t room), file,
        data, size, room)
TP_CALL(reads(file), ssize_t, __pread_chk,
        (int file, void* data, size_t size, off_t at, size_t room), file, data, size, at, room)
TP_CALL(reads(file), ssize_t, __pread64_chk,
        (int file, void* data, size_t size, off64_t at, size_t room), file, data, size, at, room)
TP_CALL(reads(file), ssize_t, __recv_chk,
        (int file, void* data, size_t size, size_t room, int flags), file, data, size, room, flags)

TP_CALL(reads(file), ssize_t, recv, (int file, void* data, size_t size, int flags), file, data,
        size, flags)
TP_CALL(reads(file), ssize_t, recvfrom,
        (int file, void* data, size_t size, int flags, sockaddr* from, socklen_t* length), file,
        data, size, flags, from, length)
TP_CALL(reads(file), ssize_t, recvmsg, (int file, msghdr* message, int flags), file, message, flags)
TP_CALL(writes(file), ssize_t, send, (int file, const void* data, size_t size, int flags), file,
        data, size, flags)
TP_CALL(writes(file), ssize_t, sendto,
        (int file, const void* data, size_t size, int flags, const sockaddr* to, socklen_t length),
        file, data, size, flags, to, length)
TP_CALL(writes(file), ssize_t, sendmsg, (int file, const msghdr* message, int flags), file, message,
        flags)
TP_CALL(reads(file), int, accept, (int file, sockaddr* from, socklen_t* length), file, from, length)
TP_CALL(reads(file), int, accept4, (int file, sockaddr* from, socklen_t* length, int flags), file,
        from, length, flags)
TP_CALL(writes(file), int, connect, (int file, const sockaddr* to, socklen_t length), file, to,
        length)

// Of stdio: its system calls are made inside of the C library.
TP_CALL(reads(file), size_t, fread, (void* data, size_t size, size_t count, std::FILE* file), data,
        size, count, file)
TP_CALL(writes(file), size_t, fwrite,
        (const void* data, size_t size, size_t count, std::FILE* file), data, size, count, file)
TP_CALL(reads(file), char*, fgets, (char* line, int size, std::FILE* file), line, size, file)
TP_CALL(reads(file), ssize_t, getdelim, (char** line, size_t* size, int end, std::FILE* file), line,
        size, end, file)
TP_CALL(reads(file), ssize_t, __getdelim, (char** line, size_t* size, int end, std::FILE* file),
        line, size, end, file)
TP_CALL(reads(file), int, getc, (std::FILE * file), file)
TP_CALL(reads(file), int, fgetc, (std::FILE * file), file)

TP_CALL(kClock, int, nanosleep, (const timespec* time, timespec* rest), time, rest)
TP_CALL(kClock, int, clock_nanosleep,
        (clockid_t clock, int flags, const timespec* time, timespec* rest), clock, flags, time,
        rest)
TP_CALL(kClock, int, usleep, (useconds_t time), time)
TP_CALL(kClock, unsigned, sleep, (unsigned time), time)
TP_CALL(kClock, int, thrd_sleep, (const timespec* time, timespec* rest), time, rest)

TP_CALL(kChild, pid_t, wait, (int* status), status)
TP_CALL(kChild, pid_t, waitpid, (pid_t child, int* status, int flags), child, status, flags)
TP_CALL(kChild, pid_t, wait3, (int* status, int flags, rusage* usage), status, flags, usage)
TP_CALL(kChild, pid_t, wait4, (pid_t child, int* status, int flags, rusage* usage), child, status,
        flags, usage)
TP_CALL(kChild, int, waitid, (idtype_t type, id_t id, siginfo_t* info, int flags), type, id, info,
        flags)
TP_CALL(kChild, int, system, (const char* command), command)
TP_CALL(kChild, int, pclose, (std::FILE * pipe), pipe)

// The header has an inline definition of getline, which calls __getdelim: this one is for other programs.
TP_EXPORT ssize_t tp_getline(char** line, size_t* size, std::FILE* file) __asm__("getline");
TP_CALL(reads(file), ssize_t, tp_getline, (char** line, size_t* size, std::FILE* file), line, size,
        file)

} // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
