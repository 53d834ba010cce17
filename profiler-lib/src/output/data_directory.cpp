// SPDX-License-Identifier: Apache-2.0
// See data_directory.h.
#include "output/data_directory.h"

#include "base/descriptor_room.h"
#include "base/file_limit.h"
#include "tp/trace/samples_format.h"
#include "tp/trace/trace_format.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tp::rt {
namespace {

constexpr int kAttempts = 4;  // another process may rename the directory in between
constexpr int kNames = 10000; // NAME.<pid>.2 and so on

std::string expand(const std::string& pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      text += pattern[i];
      continue;
    }
    switch (pattern[++i]) {
    case 'p':
      text += std::to_string(getpid());
      break;
    case 'h': {
      char host[256] = "";
      gethostname(host, sizeof host - 1);
      text += host;
      break;
    }
    case 'e': {
      char path[4096];
      const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
      const std::string_view exe(path, length > 0 ? static_cast<std::size_t>(length) : 0);
      text += exe.substr(exe.rfind('/') + 1);
      break;
    }
    case '%':
      text += '%';
      break;
    default:
      text += '%';
      text += pattern[i];
    }
  }
  while (text.size() > 1 && text.back() == '/')
    text.pop_back();
  return text;
}

bool exists(const std::string& path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0;
}

void make_parents(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
    ::mkdir(path.substr(0, slash).c_str(), 0777);
}

bool is_empty(const std::string& path) {
  DIR* const directory = opendir(path.c_str());
  if (directory == nullptr)
    return false;
  bool empty = true;
  while (const dirent* entry = readdir(directory))
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
      empty = false;
  closedir(directory);
  return empty;
}

bool is_recording(const std::string& path) {
  return exists(path + "/run.json");
}

// Whether the recording in `path` was made by a process of the same tp-run. `run` needs no escapes
// in JSON, and its field is near the beginning of run.json, before any text of the user's.
bool is_of_run(const std::string& path, const std::string& run) {
  const int fd = run.empty() ? -1 : ::open((path + "/run.json").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  char begin[512];
  const ssize_t length = ::read(fd, begin, sizeof begin);
  ::close(fd);
  const std::string_view text(begin, length > 0 ? static_cast<std::size_t>(length) : 0);
  return text.find("\"run\":\"" + run + "\"") != text.npos;
}

// Removes a finished recording: only files that the runtime writes. The directory stays if it
// contains more.
void remove_recording(const std::string& path) {
  DIR* const directory = opendir(path.c_str());
  if (directory == nullptr)
    return;
  while (const dirent* entry = readdir(directory)) {
    const std::string_view name = entry->d_name;
    const bool ours = name == "run.json" || name == "sites.jsonl" || name == "end.json" ||
                      name == "control" || name == trace::kSamplesFile ||
                      (name.size() > 4 && name.ends_with(trace::kStreamSuffix));
    if (ours)
      ::unlinkat(dirfd(directory), entry->d_name, 0);
  }
  closedir(directory);
  ::rmdir(path.c_str());
}

std::string absolute(const std::string& path) {
  if (path.starts_with('/'))
    return path;
  char folder[4096];
  return getcwd(folder, sizeof folder) != nullptr ? std::string(folder) + "/" + path : path;
}

} // namespace

DataDirectory::Claim DataDirectory::claim(const std::string& path, const std::string& run,
                                          std::string& error) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
      error = path + ": " + std::strerror(errno);
      return Claim::Failed;
    }
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
      error = path + ": " + std::strerror(errno);
      return Claim::Failed;
    }
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      ::close(fd);
      return Claim::Busy;
    }
    // Does the name still refer to the directory that is locked?
    struct stat locked, named;
    const bool same = ::fstat(fd, &locked) == 0 && ::stat(path.c_str(), &named) == 0 &&
                      locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
    if (same && is_empty(path)) {
      lock_ = DescriptorRoom().moved(fd);
      device_ = locked.st_dev;
      inode_ = locked.st_ino;
      path_ = absolute(path);
      return Claim::Done;
    }
    if (same) {
      const std::string old = path + ".old";
      if (!is_recording(path) || is_of_run(path, run) ||
          (exists(old) && !is_recording(old) && !is_empty(old))) {
        ::close(fd);
        return Claim::Busy; // it is left as it is
      }
      remove_recording(old);
      if (::rename(path.c_str(), old.c_str()) != 0) {
        ::close(fd);
        return Claim::Busy;
      }
    }
    ::close(fd);
  }
  return Claim::Busy;
}

bool DataDirectory::create(const std::string& pattern, const std::string& run, std::string& error) {
  const std::string path = expand(pattern);
  make_parents(path);
  const std::string own = path + "." + std::to_string(getpid());
  Claim result = claim(path, run, error);
  for (int number = 1; result == Claim::Busy && number < kNames; ++number)
    result = claim(number == 1 ? own : own + "." + std::to_string(number), run, error);
  if (result == Claim::Busy)
    error = own + ": this directory and all that follow are in use";
  return result == Claim::Done;
}

bool DataDirectory::write_file(const char* name, const std::string& text,
                               std::string& error) const {
  if (!is_ours()) {
    error = path_ + ": it is no longer the directory of this process";
    return false;
  }
  const std::string temporary = file(name) + ".tmp";
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  std::size_t done = 0;
  while (fd >= 0 && done < text.size()) {
    const ssize_t written = append_to(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      break;
    done += static_cast<std::size_t>(written);
  }
  const bool complete = fd >= 0 && done == text.size();
  if (fd >= 0)
    ::close(fd);
  if (complete && ::rename(temporary.c_str(), file(name).c_str()) == 0)
    return true;
  error = file(name) + ": " + std::strerror(errno);
  ::unlink(temporary.c_str());
  return false;
}

// The program may have closed the descriptor of the lock, and another process renamed the
// directory.
bool DataDirectory::is_ours() const {
  struct stat named;
  return ::stat(path_.c_str(), &named) == 0 && named.st_dev == device_ && named.st_ino == inode_;
}

void DataDirectory::forget() {
  struct stat status;
  if (lock_ >= 0 && ::fstat(lock_, &status) == 0 && status.st_dev == device_ &&
      status.st_ino == inode_)
    ::close(lock_);
  lock_ = -1;
  path_.clear();
}

} // namespace tp::rt
