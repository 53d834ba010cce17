# SPDX-License-Identifier: Apache-2.0
# Locks of the program's own that wait in loops: samples show how much of the work that is, in all three ways, and
# the report does not promise that the program scales. A lock that is announced, and loops that search or compute, are not
# reported.
. "$(dirname "$0")/common.inc"
export TP_EVENT=auto

cat >spin.cpp <<'X'
#line 2 "spin.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/task_group.h>
#include <tp/lock.h>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#if defined(__x86_64__)
static inline void pause_cpu() { __builtin_ia32_pause(); }
#else
static inline void pause_cpu() { __asm__ __volatile__("yield" ::: "memory"); }
#endif
struct Spin {
  std::atomic<bool> flag{false};
  void lock() { while (flag.exchange(true, std::memory_order_acquire)) ; } // 20
  void unlock() { flag.store(false, std::memory_order_release); }
};
struct Pausing {
  std::atomic<bool> flag{false};
  void lock() { while (flag.exchange(true, std::memory_order_acquire)) pause_cpu(); } // 25
  void unlock() { flag.store(false, std::memory_order_release); }
};
struct Ticket {
  std::atomic<unsigned> next{0}, serving{0};
  void lock() {
    const unsigned mine = next++;
    while (serving.load(std::memory_order_acquire) != mine) ; // 32
  }
  void unlock() { serving.store(serving.load() + 1, std::memory_order_release); }
};
struct Yielding {
  std::atomic<bool> flag{false};
  void lock() { while (flag.exchange(true, std::memory_order_acquire)) std::this_thread::yield(); } // 38
  void unlock() { flag.store(false, std::memory_order_release); }
};
struct Announced {
  std::atomic<bool> flag{false};
  void lock() {
    tp::LockWait wait;
    while (flag.exchange(true, std::memory_order_acquire)) {
      wait.begin(this);
      pause_cpu();
    }
    tp_lock_taken(this, "spin");
  }
  void unlock() { tp_lock_given(this); flag.store(false, std::memory_order_release); }
};
struct Waited {
  std::atomic<bool> flag{false};
  [[gnu::noinline]] void wait() { while (flag.exchange(true, std::memory_order_acquire)) ; }
  void lock() { tp::BusyWait waiting; wait(); }
  void unlock() { flag.store(false, std::memory_order_release); }
};
// Not a lock: threads search, chase and add.
struct Node { Node* next; };
Node nodes[1024];
std::atomic<double> sum{0};
double sink[64];
[[gnu::noinline]] void burn(int n, int slot) { double x = sink[slot]; for (int i = 0; i < n; ++i) x = std::sqrt(x + i); sink[slot] = x; }
[[gnu::noinline]] Node* last(Node* p) { while (p->next) p = p->next; return p; }
[[gnu::noinline]] std::size_t length(const char* text) { std::size_t n = 0; while (text[n]) ++n; return n; }
char text[4096];
static long ms_of(clockid_t clock) { timespec t; clock_gettime(clock, &t); return t.tv_sec * 1000 + t.tv_nsec / 1000000; }
// A task waits until it has used so much CPU time, so that it makes no difference how busy the machine is.
template <class Lock> void run() {
  static Lock lock;
  tbb::parallel_for(0, 2, [](int) {});
  tbb::task_group group;
  for (int i = 0; i < 4; ++i)
    group.run_and_wait([&] {
      clockid_t clock;
      if (pthread_getcpuclockid(pthread_self(), &clock) != 0) std::abort();
      for (const long begin = ms_of(clock); ms_of(clock) < begin + 40;) burn(1000, 0);
      std::atomic<bool> taken{false};
      std::thread holder([&] {
        lock.lock();
        taken = true;
        for (const long begin = ms_of(clock); ms_of(clock) < begin + 120;) usleep(5000);
        lock.unlock();
      });
      while (!taken) usleep(1000);
      lock.lock();
      lock.unlock();
      holder.join();
    });
}
void work() {
  for (int i = 0; i + 1 < 1024; ++i) nodes[i].next = &nodes[i + 1];
  for (char& c : text) c = 'x';
  text[4095] = 0;
  tbb::parallel_for(0, 64, [](int i) {
    for (const long end = ms_of(CLOCK_THREAD_CPUTIME_ID) + 10; ms_of(CLOCK_THREAD_CPUTIME_ID) < end;) {
      for (int j = 0; j < 20; ++j) sink[16 + i % 8] += length(text) + (last(nodes) == nodes);
      for (int j = 0; j < 1000; ++j) for (double old = sum.load(); !sum.compare_exchange_weak(old, old + 1);) ;
    }
  });
}
int main(int, char** argv) {
  switch (*argv[1]) {
  case 's': run<Spin>(); break;
  case 'p': run<Pausing>(); break;
  case 't': run<Ticket>(); break;
  case 'y': run<Yielding>(); break;
  case 'a': run<Announced>(); break;
  case 'b': run<Waited>(); break;
#ifndef STOCK // there the report says that this lock is not seen
  case 'm': run<tbb::spin_mutex>(); break;
#endif
  case 'w': work(); break;
  }
}
X

# Way 1: unmodified. Way 2: our headers and library. Way 3: tagged.
build_stock stock -O2 -DSTOCK <spin.cpp
build ours -O2 <spin.cpp
"$TP_PREFIX/bin/tp-c++" -std=c++17 -g -O2 spin.cpp -o tagged -I"$TP_PREFIX/include" -L"$TP_PREFIX/lib" \
  -Wl,-rpath,"$TP_PREFIX/lib" -ltbb || fail "tp-c++"
build plain -O0 <spin.cpp

record() { # PROGRAM LETTER FLAG...
  local program=$1 letter=$2
  shift 2
  rm -rf tp-data*
  "$tp_run" -q "$@" "./$program" "$letter" >out 2>err || fail "$program $letter: exit status $?: $(cat err)"
  if [ "$*" != "--sample off" ] && grep -q '"method":""' tp-data/end.json; then
    skip "$(cat tp-data/end.json)"
  fi
  analyze tp-data
}
waits() { # FUNCTION LINE: most of the waiting is there, and it is said
  is '[w["certain"] for w in p["warnings"] if w["name"] == "waits_in_loops"] == [False]'
  is "p['waiting_loops']['work'] > 0.1 * p['work'] and p['waiting_loops']['work_interval'][0] <= p['waiting_loops']['work']"
  is "(lambda loop: loop['function'] == '$1' and loop['file'].endswith('spin.cpp') and loop['line'] == $2)(p['waiting_loops']['loops'][0])"
  is "p['advice'].startswith('About ') and ' is waiting in $1 (spin.cpp:$2)' in p['advice']"
  is '"threads waited in loops" in p["verdict"]["headline"] and not p["verdict"]["headline"].startswith("Scales")'
  "$tp_analyze" -q -o csv tp-data >report || fail "tp-analyze: exit status $?"
  tr -s ' \n' ' ' <report >line
  in_file line 'in loops that only wait for other threads'
}
waits_not() {
  is '"waits_in_loops" not in [w["name"] for w in p["warnings"]]'
  is "p['waiting_loops']['work'] < 0.01 * p['work']"
}

# Locks of oneTBB are announced where its headers are ours.
for program in ours tagged; do
  record $program m; waits_not
done
for program in stock ours tagged; do
  record $program s; waits Spin::lock 20
  record $program p; waits Pausing::lock 25
  record $program t; waits Ticket::lock 32
  record $program y; waits Yielding::lock 38
  record $program a; waits_not
  record $program b; waits_not
  record $program w; waits_not
done
python3 -B "$here/../../support/validate_json.py" profile.json || fail "profile.json: not as documented"

# By the instruction alone, and by frame pointers.
record ours s --sample 1000 --call-graph none; waits Spin::lock 20
record ours p --sample 1000 --call-graph fp; waits Pausing::lock 25

# Not optimized: the atomic operations are calls.
record plain s; waits Spin::lock 20
record plain w; waits_not

# Without samples nothing is said of loops.
record ours s --sample off
is '"waiting_loops" not in p and "waits_in_loops" not in [w["name"] for w in p["warnings"]]'
finish
