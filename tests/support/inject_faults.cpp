// SPDX-License-Identifier: Apache-2.0
// Runs a program in whose processes perf_event_open, mmap of an event's page, and read() of an
// event fail on request. The kernel hands these calls to this process (seccomp user notification),
// which refuses them, changes them, or lets them continue.
//
//   inject_faults [OPTION...] -- PROGRAM [ARG...]
//     --open ERRNO     perf_event_open fails
//     --mmap ERRNO     mapping the page of an event fails
//     --from N         both fail only from the N-th such call on
//     --hardware       --open applies to hardware events only
//     --swap           hardware events become the task clock, which every machine can count
//     --empty-read N   read() of an event returns 0 bytes from the N-th call on
//     --half-counted   read() of an event reports that it was counted for half of the time only
//     --hybrid A,B     CPUs A and B are of two kinds: hardware events of PMU types 1001 and 1002
//                      count on one of them only; events without a PMU type count on the first kind
//     --slow-files MS  read() and write() of 7 bytes take MS ms more, asleep in the kernel
//     --stop-clock     reading a thread's CPU time stops the thread for a moment, as a tracer would
//     --log FILE       writes a line for each hardware event opened: type, config, config1, config2
//     --unprivileged         runs the program as an unprivileged user
//
// Exits with the program's status; 77 where notification is not permitted, 125 for its own errors.
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <map>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kSkipped = 77, kOwnFailure = 125;
constexpr unsigned kNobody = 65534;
constexpr std::uint64_t kFirstKind = 1001, kSecondKind = 1002;

struct Faults {
  int open_error = 0;
  int mmap_error = 0;
  unsigned long from = 1;
  bool hardware_only = false;
  bool swap = false;
  unsigned long empty_read_from = 0; // 0: never
  bool half_counted = false;
  bool stop_clock = false;
  long slow_files_ms = 0;
  bool as_nobody = false;
  bool hybrid = false;
  int cpu_of_first_kind = 0, cpu_of_second_kind = 0;
  std::string log;
};

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "inject_faults: %s: %s\n", what, std::strerror(errno));
  std::exit(kOwnFailure);
}

int errno_of(const std::string& name) {
  const struct {
    const char* name;
    int value;
  } known[] = {{"ENOENT", ENOENT}, {"EACCES", EACCES}, {"EPERM", EPERM},
               {"ENOSYS", ENOSYS}, {"EMFILE", EMFILE}, {"EOPNOTSUPP", EOPNOTSUPP},
               {"ENODEV", ENODEV}, {"EBUSY", EBUSY},   {"EINVAL", EINVAL},
               {"ENOMEM", ENOMEM}, {"ENFILE", ENFILE}, {"E2BIG", E2BIG},
               {"ENOSPC", ENOSPC}};
  for (const auto& each : known)
    if (name == each.name)
      return each.value;
  errno = EINVAL;
  die(name.c_str());
}

// Returns the program and its arguments. Exits on an unknown option.
char** parse(char** word, Faults& faults) {
  for (++word; *word != nullptr; ++word) {
    const std::string option = *word;
    if (option == "--")
      return word + 1;
    const bool has_value = option == "--open" || option == "--mmap" || option == "--from" ||
                           option == "--empty-read" || option == "--hybrid" || option == "--log" ||
                           option == "--slow-files";
    const std::string value = has_value && word[1] != nullptr ? *++word : "";
    if (option == "--open")
      faults.open_error = errno_of(value);
    else if (option == "--mmap")
      faults.mmap_error = errno_of(value);
    else if (option == "--from")
      faults.from = std::strtoul(value.c_str(), nullptr, 10);
    else if (option == "--empty-read")
      faults.empty_read_from = std::strtoul(value.c_str(), nullptr, 10);
    else if (option == "--hardware")
      faults.hardware_only = true;
    else if (option == "--swap")
      faults.swap = true;
    else if (option == "--half-counted")
      faults.half_counted = true;
    else if (option == "--stop-clock")
      faults.stop_clock = true;
    else if (option == "--slow-files")
      faults.slow_files_ms = std::strtol(value.c_str(), nullptr, 10);
    else if (option == "--unprivileged")
      faults.as_nobody = true;
    else if (option == "--hybrid")
      faults.hybrid = std::sscanf(value.c_str(), "%d,%d", &faults.cpu_of_first_kind,
                                  &faults.cpu_of_second_kind) == 2;
    else if (option == "--log")
      faults.log = value;
    else
      break;
  }
  errno = EINVAL;
  die(*word != nullptr ? *word : "no program");
}

// ---- in the child: the filter
// -------------------------------------------------------------------------------------------------

constexpr std::uint32_t argument(int number) {
  return offsetof(seccomp_data, args) + static_cast<unsigned>(number) * sizeof(std::uint64_t);
}

// The size of reads and writes that --slow-files concerns; no other code of a process makes such.
constexpr unsigned kSlowSize = 7;

// Selects, of mmap, only what looks like the page of an event; of read(), only the size of a group, and
// that of --slow-files, as of write(); of clock_gettime(), only the thread's CPU time.
int install_filter(const Faults& faults) {
#if defined(__x86_64__)
  constexpr std::uint32_t arch = AUDIT_ARCH_X86_64;
#else
  constexpr std::uint32_t arch = AUDIT_ARCH_AARCH64;
#endif
  constexpr unsigned smallest = 4 * 8, largest = 8 * 8;
  const std::uint32_t none = ~std::uint32_t{0};
  const std::uint32_t stopped = faults.stop_clock ? CLOCK_THREAD_CPUTIME_ID : none;
  const std::uint32_t slow = faults.slow_files_ms > 0 ? kSlowSize : none;
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, arch, 0, 18),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_perf_event_open, 17, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_read, 7, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_write, 10, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clock_gettime, 11, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 0, 12),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument(2)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_READ, 0, 10),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument(3)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MAP_SHARED, 9, 8),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument(2)), // read
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, slow, 7, 0),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, smallest, 0, 5),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, largest, 4, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument(2)), // write
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, slow, 3, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument(0)), // clock_gettime
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, stopped, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  const sock_fprog program{sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  return static_cast<int>(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

[[noreturn]] void run_program(char** command, const Faults& faults, int result_to, int go_on) {
  if (faults.as_nobody &&
      (setgroups(0, nullptr) != 0 || setresgid(kNobody, kNobody, kNobody) != 0 ||
       setresuid(kNobody, kNobody, kNobody) != 0))
    die("--unprivileged");
  const int listener = install_filter(faults);
  const int answer[2] = {listener, errno};
  if (write(result_to, answer, sizeof answer) != sizeof answer)
    die("pipe");
  char nothing; // until the supervisor has received the listener
  while (read(go_on, &nothing, 1) < 0 && errno == EINTR) {
  }
  if (listener >= 0)
    close(listener);
  execvp(command[0], command);
  die(command[0]);
}

// ---- in the parent: the supervisor
// -------------------------------------------------------------------------------------------------

class Supervisor {
public:
  Supervisor(const Faults& faults, int listener, int program)
      : faults_(faults), listener_(listener), program_(program) {}

  // Returns the program's status as waitpid() reports it.
  int run(pid_t pid) {
    int status = 0;
    pollfd waited[] = {{listener_, POLLIN, 0}, {program_, POLLIN, 0}};
    while (poll(waited, 2, -1) > 0 || errno == EINTR) {
      // Before Linux 6.11 a zombie still uses the filter; since then either descriptor may report
      // first.
      const bool nobody_left = (waited[0].revents & POLLHUP) != 0;
      if (waited[1].fd >= 0 && (waited[1].revents != 0 || nobody_left)) {
        waitpid(pid, &status, 0);
        waited[1].fd = -1;
      }
      if (nobody_left)
        return status;
      if (waited[0].revents == 0)
        continue;
      seccomp_notif call{};
      if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
        continue; // the caller is gone
      seccomp_notif_resp answer{};
      answer.id = call.id;
      decide(call, answer);
      ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
    return status;
  }

private:
  void decide(const seccomp_notif& call, seccomp_notif_resp& answer) {
    if (call.data.nr == __NR_perf_event_open)
      open(call, answer);
    else if (call.data.nr == __NR_clock_gettime)
      go_on(answer);
    else if (call.data.nr != __NR_mmap && call.data.args[2] == kSlowSize)
      go_on_later(answer);
    else if (!is_event(call, static_cast<int>(call.data.args[call.data.nr == __NR_mmap ? 4 : 0])))
      go_on(answer);
    else if (call.data.nr == __NR_mmap)
      map(answer);
    else
      read_event(call, answer);
  }

  static void go_on(seccomp_notif_resp& answer) { answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE; }

  void go_on_later(seccomp_notif_resp& answer) const {
    usleep(static_cast<useconds_t>(faults_.slow_files_ms) * 1000);
    go_on(answer);
  }

  void open(const seccomp_notif& call, seccomp_notif_resp& answer) {
    perf_event_attr attributes{};
    const int memory = open_memory(call);
    const auto at = static_cast<off_t>(call.data.args[0]);
    if (pread(memory, &attributes, PERF_ATTR_SIZE_VER1, at) != PERF_ATTR_SIZE_VER1)
      die("memory of the program");
    const bool hardware = attributes.type != PERF_TYPE_SOFTWARE;
    if (hardware)
      log(attributes);
    const bool concerned = hardware || !faults_.hardware_only;
    if (concerned && faults_.open_error != 0 && ++opens_ >= faults_.from) {
      answer.error = -faults_.open_error;
    } else if (faults_.hybrid && (hardware || is_member(call))) {
      open_on_kind(call, attributes, answer);
    } else {
      if (hardware && faults_.swap) {
        attributes.type = PERF_TYPE_SOFTWARE;
        attributes.config = PERF_COUNT_SW_TASK_CLOCK;
        if (pwrite(memory, &attributes, PERF_ATTR_SIZE_VER0, at) != PERF_ATTR_SIZE_VER0)
          die("memory of the program");
      }
      go_on(answer);
    }
    close(memory);
  }

  void log(const perf_event_attr& event) {
    if (!faults_.log.empty())
      std::ofstream(faults_.log, std::ios::app)
          << std::hex << event.type << ' ' << event.config << ' ' << event.config1 << ' '
          << event.config2 << '\n';
  }

  // A member of a group other than its leader.
  static bool is_member(const seccomp_notif& call) {
    return static_cast<int>(call.data.args[3]) >= 0;
  }

  // Opens the event for the program, on one CPU. Members of a group follow their leader, which is
  // the last event that the thread opened.
  void open_on_kind(const seccomp_notif& call, perf_event_attr& event, seccomp_notif_resp& answer) {
    if (event.type != PERF_TYPE_SOFTWARE) {
      const std::uint64_t kind =
          event.type == PERF_TYPE_HARDWARE ? event.config >> 32 : std::uint64_t{event.type};
      cpu_[call.pid] = kind == kSecondKind ? faults_.cpu_of_second_kind : faults_.cpu_of_first_kind;
      event.type = faults_.swap ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
      event.config =
          faults_.swap ? std::uint64_t{PERF_COUNT_SW_TASK_CLOCK} : event.config & 0xffffffff;
    }
    event.size = PERF_ATTR_SIZE_VER1;
    const int leader = is_member(call) ? fd_of(static_cast<int>(call.data.args[3])) : -1;
    const int opened = static_cast<int>(syscall(SYS_perf_event_open, &event, call.pid,
                                                cpu_[call.pid], leader, PERF_FLAG_FD_CLOEXEC));
    seccomp_notif_addfd given{};
    given.id = call.id;
    given.srcfd = static_cast<std::uint32_t>(opened);
    given.newfd_flags = O_CLOEXEC;
    const int fd = opened < 0 ? -1 : ioctl(listener_, SECCOMP_IOCTL_NOTIF_ADDFD, &given);
    answer.error = fd < 0 ? -errno : 0;
    answer.val = fd;
    close(opened);
    close(leader);
  }

  int fd_of(int number) const {
    return static_cast<int>(syscall(SYS_pidfd_getfd, program_, number, 0));
  }

  void map(seccomp_notif_resp& answer) {
    if (faults_.mmap_error != 0 && ++maps_ >= faults_.from)
      answer.error = -faults_.mmap_error;
    else
      go_on(answer);
  }

  void read_event(const seccomp_notif& call, seccomp_notif_resp& answer) {
    ++reads_;
    if (faults_.empty_read_from != 0 && reads_ >= faults_.empty_read_from)
      answer.val = 0;
    else if (faults_.half_counted)
      read_half_counted(call, answer);
    else
      go_on(answer);
  }

  // Reads for the program: { number of events, time enabled, time running, values... }.
  void read_half_counted(const seccomp_notif& call, seccomp_notif_resp& answer) {
    const int event = fd_of(static_cast<int>(call.data.args[0]));
    std::uint64_t words[8];
    const std::size_t wanted = call.data.args[2];
    const ssize_t bytes = event >= 0 ? read(event, words, wanted) : -1;
    if (bytes <= 0)
      die("reading an event for the program");
    close(event);
    words[2] = words[1] / 2;
    const int memory = open_memory(call);
    if (pwrite(memory, words, wanted, static_cast<off_t>(call.data.args[1])) != bytes)
      die("memory of the program");
    close(memory);
    answer.val = bytes;
  }

  static bool is_event(const seccomp_notif& call, int fd) {
    char target[64] = "";
    const std::string link = "/proc/" + std::to_string(call.pid) + "/fd/" + std::to_string(fd);
    return readlink(link.c_str(), target, sizeof target - 1) > 0 &&
           std::strcmp(target, "anon_inode:[perf_event]") == 0;
  }

  static int open_memory(const seccomp_notif& call) {
    const int memory =
        ::open(("/proc/" + std::to_string(call.pid) + "/mem").c_str(), O_RDWR | O_CLOEXEC);
    if (memory < 0)
      die("memory of the program");
    return memory;
  }

  const Faults& faults_;
  int listener_, program_;
  unsigned long opens_ = 0, maps_ = 0, reads_ = 0;
  std::map<std::uint32_t, int> cpu_; // of the last event that a thread opened
};

} // namespace

int main(int, char** arguments) {
  Faults faults;
  char** const command = parse(arguments, faults);
  int result[2], go_on[2];
  if (pipe2(result, O_CLOEXEC) != 0 || pipe2(go_on, O_CLOEXEC) != 0)
    die("pipe");
  const pid_t child = fork();
  if (child < 0)
    die("fork");
  if (child == 0) {
    close(go_on[1]);
    run_program(command, faults, result[1], go_on[0]);
  }
  close(result[1]);
  int answer[2] = {-1, 0};
  const int program = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (read(result[0], answer, sizeof answer) == sizeof answer && answer[0] < 0) {
    std::fprintf(stderr, "inject_faults: seccomp notification: %s\n", std::strerror(answer[1]));
    kill(child, SIGKILL);
    return kSkipped;
  }
  const int listener = static_cast<int>(syscall(SYS_pidfd_getfd, program, answer[0], 0));
  if (listener < 0) {
    std::fprintf(stderr, "inject_faults: pidfd_getfd: %s\n", std::strerror(errno));
    kill(child, SIGKILL);
    return kSkipped;
  }
  close(go_on[1]);
  const int status = Supervisor(faults, listener, program).run(child);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
