# SPDX-License-Identifier: Apache-2.0
# Clocks that go back: a time stamp counter that differs between CPUs, CPU times that a kernel
# corrects, counters that the program resets to zero. No figure of any report is negative (`is`
# checks all of them), and everything countable is counted.
. "$(dirname "$0")/common.inc"
[ "$(uname -m)" = x86_64 ] || skip "the time stamp counter can be trapped on x86-64 only"
unset TP_EVENT
build back -rdynamic <<'EOF'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <linux/perf_event.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>
static bool cpu_time_goes_back = false;
static thread_local unsigned stamps = 0, cpu_times = 0;

// Replaces the C library's function: at times CPU times are 5 ms behind.
extern "C" int clock_gettime(clockid_t clock, timespec* now) {
  const long status = syscall(SYS_clock_gettime, clock, now);
  const bool is_cpu_time = clock == CLOCK_THREAD_CPUTIME_ID || clock == CLOCK_PROCESS_CPUTIME_ID;
  if (cpu_time_goes_back && is_cpu_time && ++cpu_times / 7 % 2 == 1)
    now->tv_nsec -= now->tv_nsec > 5000000 ? 5000000 : now->tv_nsec;
  return static_cast<int>(status);
}
static double cpu_ns() {
  timespec now;
  syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}
// Each rdtsc(p) traps here: every 20 readings the thread moves to the other CPU, whose counter is a
// billion ticks behind. The kernel's own code in the process (vdso) gets the true value.
static void on_rdtsc(int, siginfo_t*, void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto at = static_cast<unsigned long>(registers[REG_RIP]);
  const unsigned char* const code = reinterpret_cast<const unsigned char*>(at);
  const bool is_rdtsc = code[0] == 0x0f && code[1] == 0x31, is_rdtscp = code[0] == 0x0f && code[1] == 1 && code[2] == 0xf9;
  if (!is_rdtsc && !is_rdtscp) {
    std::signal(SIGSEGV, SIG_DFL);
    return;
  }
  unsigned cpu;
  prctl(PR_SET_TSC, PR_TSC_ENABLE);
  unsigned long now = __rdtscp(&cpu);
  prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
  const bool is_vdso = at - getauxval(AT_SYSINFO_EHDR) < 0x8000;
  if (!is_vdso && ++stamps / 20 % 2 == 1) now -= 1000000000;
  registers[REG_RAX] = static_cast<unsigned>(now);
  registers[REG_RDX] = static_cast<greg_t>(now >> 32);
  if (is_rdtscp) registers[REG_RCX] = cpu;
  registers[REG_RIP] += is_rdtsc ? 2 : 3;
}
static void reset_counters() {
  DIR* const all = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(all)) ioctl(std::atoi(entry->d_name), PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
  closedir(all);
}
static void touch(size_t pages) {
  char* const memory = static_cast<char*>(mmap(nullptr, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < pages; ++i) memory[i * 4096] = 1;
  munmap(memory, pages * 4096);
}
int main(int, char** arguments) {
  const auto goes_back = [&](const char* what) { return std::strstr(arguments[1], what) != nullptr; };
  if (goes_back("tsc")) {
    struct sigaction action{};
    action.sa_sigaction = on_rdtsc;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0) return 77;
  }
  cpu_time_goes_back = goes_back("cpu");
  const bool resets = goes_back("counters");
  std::atomic<long> spun{0};
  const auto work = [&](int i) {
    const double start = cpu_ns();
    if (resets && i % 10 == 5) touch(20), reset_counters();
    while (cpu_ns() < start + 2e5) {}
    spun += static_cast<long>(cpu_ns() - start);
  };
  const auto all = [&] {
    tbb::task_group group;
    for (int i = 0; i < 60; ++i) group.run([&, i] { work(i); });
    group.wait();
    tbb::parallel_for(0, 60, work);
  };
  std::thread(all).join();
  all();
  std::printf("%ld\n", spun.load());
}
EOF
# with WHAT EVENT EXPRESSION: WHAT goes back. Runs all reports, since each subtracts other figures.
with() {
  status=0
  rm -rf data profile.json
  env TP_DATA=data TP_EVENT="$2" ./back "$1" >out 2>err || status=$?
  [ $status -ne 77 ] || skip "the time stamp counter cannot be trapped"
  same "$1, $2: exit status" 0 $status
  grep -v 'reading these events takes' err >other_messages # it does, where each is a trap
  is_empty other_messages
  "$tp_analyze" -q --explore always --simulate always --export speedscope:contexts.json --export folded:folded \
    --export callgrind:callgrind --json profile.json -d data -o analysis >table 2>analysis.err ||
    fail "$1, $2: tp-analyze: exit status $?: $(cat analysis.err)"
  is "'$1, $2' and p['complete'] and p['conservation']['exclusive_work_equals_work'] and ($3)"
  ! grep -nE '(^|[ ,|:=])-[0-9]|[0-9]{19}' table folded callgrind contexts.json analysis/*.csv || fail "$1, $2: negative"
}
no_rseq() { GLIBC_TUNABLES=glibc.pthread.rseq=0 "$@"; }
ns='sum(s["exclusive_work"] for s in p["sites"][1:]) * (1 if p["unit"] == "ns" else 1e9 / p["clock"]["hz"])'
ratio="$ns / float(open('out').read())"
# CPU times are correct if only the time stamps are wrong. The signal of each trap makes the clock
# repeat the reading, where rseq reports signals: such steps are longer.
with tsc tsc "0.8 < $ratio < 8"
no_rseq with tsc tsc "0.8 < $ratio < 2"
with tsc task-clock "0.8 < $ratio < 2"
with tsc virtual 'p["work"] == 0'
for event in tsc task-clock virtual,page-faults; do
  with cpu $event True
  with tsc+cpu $event True
done
no_rseq with cpu tsc True
with counters task-clock,page-faults,minor-faults 'p["work"] > 0'
with counters virtual,page-faults,task-clock 'p["trace"]["extra_events"]["task-clock"] > 0'
finish
