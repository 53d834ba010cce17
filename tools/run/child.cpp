// SPDX-License-Identifier: Apache-2.0
// fork, exec, wait. Signals are blocked around the fork, so that none is lost before the child's
// process id is known.
#include "run/child.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tp::tool {
namespace {

constexpr int kIgnored[] = {SIGINT, SIGQUIT};
constexpr int kForwarded[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

volatile sig_atomic_t child_pid = 0;

extern "C" void forward_signal(int signal) {
  const int saved_errno = errno;
  if (child_pid > 0)
    kill(child_pid, signal);
  errno = saved_errno;
}

// Our signal dispositions while the child runs. The destructor restores the inherited ones, also in
// the child.
class SignalScope {
public:
  SignalScope() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &inherited_mask_);
    for (std::size_t i = 0; i < std::size(kIgnored); ++i)
      set(kIgnored[i], SIG_IGN, inherited_ignored_[i]);
    for (std::size_t i = 0; i < std::size(kForwarded); ++i) {
      set(kForwarded[i], forward_signal, inherited_forwarded_[i]);
      if (inherited_forwarded_[i].sa_handler ==
          SIG_IGN) // nohup: the child ignores it, and so do we
        sigaction(kForwarded[i], &inherited_forwarded_[i], nullptr);
    }
  }
  void unblock() { sigprocmask(SIG_SETMASK, &inherited_mask_, nullptr); }
  void restore() {
    for (std::size_t i = 0; i < std::size(kIgnored); ++i)
      sigaction(kIgnored[i], &inherited_ignored_[i], nullptr);
    for (std::size_t i = 0; i < std::size(kForwarded); ++i)
      sigaction(kForwarded[i], &inherited_forwarded_[i], nullptr);
    unblock();
  }

private:
  static void set(int signal, void (*handler)(int), struct sigaction& inherited) {
    struct sigaction action{};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, &inherited);
  }
  sigset_t inherited_mask_;
  struct sigaction inherited_ignored_[std::size(kIgnored)];
  struct sigaction inherited_forwarded_[std::size(kForwarded)];
};

[[noreturn]] void become(const std::vector<std::string>& command, const Variables& variables,
                         int error_pipe) {
  for (const auto& [name, value] : variables)
    setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int reason = errno;
  [[maybe_unused]] ssize_t written = write(error_pipe, &reason, sizeof reason);
  _exit(127);
}

// Whether the process ends within so many ms. Where it has no descriptor (before Linux 5.3, or
// forbidden): after that time.
bool ends_within(int ms, pid_t pid, int descriptor) {
  if (descriptor >= 0) {
    pollfd end{descriptor, POLLIN, 0};
    const int ready = poll(&end, 1, ms);
    return ready > 0 || (ready < 0 && errno != EINTR);
  }
  const timespec nap{ms / 1000, ms % 1000 * 1'000'000L};
  nanosleep(&nap, nullptr);
  siginfo_t ended{};
  return waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         ended.si_pid != 0;
}

// Returns when the process has ended (or cannot be watched).
void observe(pid_t pid, const Observer& observer) {
  constexpr int kFirstMs = 2, kLastMs = 250, kGrowth = 8; // by an eighth
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  int interval = kFirstMs, wait = kFirstMs;
  while (!ends_within(wait, pid, descriptor)) {
    const int most = observer(pid);
    if (most < 0 && descriptor < 0)
      break;
    wait = most < 0 ? interval : std::min(interval, most);
    interval = std::min(interval + 1 + interval / kGrowth, kLastMs);
  }
  if (descriptor >= 0)
    close(descriptor);
}

} // namespace

int ChildResult::exit_status() const {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

ChildResult run_child(const std::vector<std::string>& command, const Variables& variables,
                      const Observer& observer) {
  ChildResult result;
  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) {
    result.exec_errno = errno;
    return result;
  }
  SignalScope signals;
  const pid_t pid = fork();
  if (pid == 0) {
    signals.restore();
    become(command, variables, error_pipe[1]);
  }
  result.exec_errno = pid < 0 ? errno : 0;
  result.pid = pid;
  child_pid = pid;
  signals.unblock();
  close(error_pipe[1]);
  int reason = 0;
  // End of file means that exec closed the pipe: the program is running.
  while (pid > 0 && read(error_pipe[0], &reason, sizeof reason) < 0 && errno == EINTR) {
  }
  close(error_pipe[0]);
  if (reason != 0)
    result.exec_errno = reason;
  else if (pid > 0 && observer)
    observe(pid, observer);
  while (pid > 0 && waitpid(pid, &result.wait_status, 0) < 0 && errno == EINTR) {
  }
  child_pid = 0;
  signals.restore();
  return result;
}

void end_like(const ChildResult& child) {
  if (WIFSIGNALED(child.wait_status)) {
    const int signal = WTERMSIG(child.wait_status);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    raise(signal);
  }
  std::exit(child.exit_status());
}

} // namespace tp::tool
