// SPDX-License-Identifier: Apache-2.0
// DATA DIRECTORY: the folder that a session records into. Chooses its name, renames an older
// recording, and changes no files but those of recordings. Used by the session, under its lock.
// Cold.
//
// One run of tp-run may start many processes, one after the other: their recordings are all kept.
// It passes on a name (TP_RUN) that run.json repeats; only recordings with another one, or without
// any, are earlier ones that a new recording may rename.
#pragma once

#include <string>
#include <sys/types.h>

namespace tp::rt {

class DataDirectory {
public:
  // Makes the directory that `pattern` names (%p pid, %h host, %e executable, %%), with its
  // parents, and locks it (flock) for the life of the process. A finished recording of that name is
  // renamed to NAME.old; if a live process records there, or the directory contains other files or
  // a recording of the same `run`, NAME.<pid> is used instead, and then NAME.<pid>.2, .3 (a process
  // that becomes another program keeps its pid). False: `error` says why.
  bool create(const std::string& pattern, const std::string& run, std::string& error);

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
  Claim claim(const std::string& path, const std::string& run, std::string& error);

  bool is_ours() const;

  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  int lock_ = -1; // descriptor of the directory, flock()ed
};

} // namespace tp::rt
