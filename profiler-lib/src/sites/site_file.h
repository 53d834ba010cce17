// SPDX-License-Identifier: Apache-2.0
// The file sites.jsonl of the data directory: one JSON object per line. Used by the registry, under
// its lock. Cold.
#pragma once

#include "base/file_limit.h"
#include "base/json_writer.h"
#include "base/no_cancel.h"
#include "base/own_file.h"

#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace tp::rt {

class SiteFile {
public:
  // Makes a new, empty file. False: errno says why not.
  bool create(const char* path) { return file_.create(path); }

  // Appends the object as a line, in one write. Where the file cannot be written the line is lost.
  void append(const JsonObject& object) {
    const NoCancel no_cancel;
    const int fd = file_.open(O_WRONLY | O_APPEND);
    if (fd < 0)
      return;
    const std::string line = object.str() + "\n";
    [[maybe_unused]] const ssize_t written = append_to(fd, line.data(), line.size());
    ::close(fd);
  }

private:
  OwnFile file_;
};

} // namespace tp::rt
