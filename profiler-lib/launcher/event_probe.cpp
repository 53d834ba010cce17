// The question is asked by a forked child, so that neither counters nor threads of the library stay
// behind in tp-run.
#include "event_probe.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

namespace tp::launcher {
namespace {

constexpr unsigned long kMessageSize = 2048;

// Runs in the child: what it writes to `answer` is the reason, and nothing means that all is well.
[[noreturn]] void ask(const std::string& events, const Prefix& prefix, int answer) {
  // Wrong settings are told by the program's own copy of the library.
  for (const char* variable : {"TP_EVENT", "TP_DATA", "TP_MAX_SIZE", "TP_PAUSED", "TP_VERBOSE",
                               "TP_DISABLE", "TP_AS_IF_CORES"})
    unsetenv(variable);
  char message[kMessageSize] = "";
  void* library = dlopen(prefix.library().c_str(), RTLD_NOW | RTLD_LOCAL);
  using Probe = int (*)(const char* event, char* message, unsigned long size);
  const auto probe = library ? reinterpret_cast<Probe>(dlsym(library, "tp_probe_event")) : nullptr;
  if (!probe) {
    const char* reason = dlerror();
    std::strncpy(message, reason ? reason : "no tp_probe_event", sizeof message - 1);
  } else if (probe(events.c_str(), message, sizeof message) != 0) {
    if (message[0] == '\0')
      std::strncpy(message, "no reason given", sizeof message - 1);
  } else {
    _exit(0);
  }
  message[sizeof message - 1] = '\0';
  [[maybe_unused]] ssize_t written = write(answer, message, std::strlen(message));
  _exit(1);
}

} // namespace

std::optional<std::string> why_not_measurable(const std::string& events, const Prefix& prefix) {
  int answer[2];
  if (pipe(answer) != 0)
    return std::strerror(errno);
  const pid_t pid = fork();
  if (pid < 0)
    return std::strerror(errno);
  if (pid == 0) {
    close(answer[0]);
    ask(events, prefix, answer[1]);
  }
  close(answer[1]);
  std::string reason;
  char part[kMessageSize];
  ssize_t size = 0;
  while ((size = read(answer[0], part, sizeof part)) > 0 || (size < 0 && errno == EINTR))
    reason.append(part, size > 0 ? static_cast<std::size_t>(size) : 0);
  close(answer[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    return fmt::format("{} ended with signal {} when asked", prefix.library(), WTERMSIG(status));
  if (status == 0)
    return std::nullopt;
  return reason;
}

} // namespace tp::launcher
