// The data directory of a session: finds a name, moves an older recording out of the way, and never
// touches what is not ours. Cold; used under the session's lock.
#pragma once

#include <string>
#include <sys/types.h>

namespace tp::rt {

class DataDirectory {
public:
  // Makes the directory that `pattern` names (%p pid, %h host, %e executable, %%), with its
  // parents, and locks it for the life of the process. A finished recording of that name is renamed
  // to NAME.old; if a live process records there, or the directory holds files of somebody else,
  // NAME.<pid> is used. False: `error` says why not.
  bool create(const std::string& pattern, std::string& error);

  // Writes a whole file: to a temporary name first, then renamed.
  bool write_file(const char* name, const std::string& text, std::string& error) const;

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
