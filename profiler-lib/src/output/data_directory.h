// SPDX-License-Identifier: Apache-2.0
// DATA DIRECTORY: the folder that a session records into. Chooses its name, renames an older
// recording, and changes no files but those of recordings. Used by the session, under its lock.
// Cold.
#pragma once

#include <string>
#include <sys/types.h>

namespace tp::rt {

class DataDirectory {
public:
  // Makes the directory that `pattern` names (%p pid, %h host, %e executable, %%), with its
  // parents, and locks it (flock) for the life of the process. A finished recording of that name is
  // renamed to NAME.old; if a live process records there, or the directory contains other files,
  // NAME.<pid> is used instead. False: `error` says why.
  bool create(const std::string& pattern, std::string& error);

  // Writes a whole file, under a temporary name, and renames it. False: `error` names the file and
  // the reason.
  bool write_file(const char* name, const std::string& text, std::string& error) const;

  // Path of a file in the directory, and of the directory: absolute.
  std::string file(const char* name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  // In a fork()ed child: the directory and its lock belong to the parent.
  void forget();

private:
  enum class Claim { Done, Busy, Failed };
  Claim claim(const std::string& path, std::string& error);

  bool is_ours() const;

  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  int lock_ = -1; // descriptor of the directory, flock()ed
};

} // namespace tp::rt
