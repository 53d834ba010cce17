# SPDX-License-Identifier: Apache-2.0
# The functions of the C library that tp-run puts its own in front of return what they return without it:
# every kind of lock, timed and tried, condition variables, semaphores, system calls, cancellation.
. "$(dirname "$0")/common.inc"
build_stock kinds -std=c++20 -O1 <<'X'
#line 2 "kinds.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
timespec in(long ms) { timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_nsec += ms * 1000000; t.tv_sec += t.tv_nsec / 1000000000; t.tv_nsec %= 1000000000; return t; }
void say(const char* what, int result) { std::printf("%s %d\n", what, result); }
pthread_mutex_t make(int type, int robust, int protocol) {
  pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, type);
  if (robust) pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  if (protocol) pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
  pthread_mutex_t m; pthread_mutex_init(&m, &a); return m;
}
int main() {
  tbb::parallel_for(0, 4, [](int) {});
  pthread_mutex_t checking = make(PTHREAD_MUTEX_ERRORCHECK, 0, 0), recursive = make(PTHREAD_MUTEX_RECURSIVE, 0, 0);
  say("checking", pthread_mutex_lock(&checking)); say("again", pthread_mutex_lock(&checking));
  say("unlock", pthread_mutex_unlock(&checking)); say("once more", pthread_mutex_unlock(&checking));
  say("recursive", pthread_mutex_lock(&recursive) + pthread_mutex_lock(&recursive));
  say("unlock", pthread_mutex_unlock(&recursive) + pthread_mutex_unlock(&recursive)); say("once more", pthread_mutex_unlock(&recursive));
  for (int protocol : {0, 1}) {
    static pthread_mutex_t robust; robust = make(PTHREAD_MUTEX_NORMAL, 1, protocol);
    std::thread([] { pthread_mutex_lock(&robust); }).join();
    say("owner died", pthread_mutex_lock(&robust)); say("consistent", pthread_mutex_consistent(&robust)); say("unlock", pthread_mutex_unlock(&robust));
    std::thread([] { pthread_mutex_lock(&robust); }).join();
    say("owner died", pthread_mutex_lock(&robust)); say("unlock", pthread_mutex_unlock(&robust)); say("not recoverable", pthread_mutex_lock(&robust));
  }
  static pthread_mutex_t held = make(PTHREAD_MUTEX_NORMAL, 0, 0);
  pthread_mutex_lock(&held);
  timespec soon = in(20); say("timed", pthread_mutex_timedlock(&held, &soon));
  soon = in(20); say("by a clock", pthread_mutex_clocklock(&held, CLOCK_REALTIME, &soon));
  soon = {0, -1}; say("no time", pthread_mutex_timedlock(&held, &soon));
  pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
  say("read", pthread_rwlock_rdlock(&rw) + pthread_rwlock_rdlock(&rw)); soon = in(20); say("timed write", pthread_rwlock_timedwrlock(&rw, &soon));
  say("unlock", pthread_rwlock_unlock(&rw) + pthread_rwlock_unlock(&rw)); say("write", pthread_rwlock_wrlock(&rw)); say("write again", pthread_rwlock_wrlock(&rw));
  soon = in(20); say("timed read", pthread_rwlock_timedrdlock(&rw, &soon)); soon = in(20); say("by a clock", pthread_rwlock_clockrdlock(&rw, CLOCK_REALTIME, &soon));
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  soon = in(20); say("condition", pthread_cond_timedwait(&changed, &held, &soon)); soon = in(20); say("by a clock", pthread_cond_clockwait(&changed, &held, CLOCK_REALTIME, &soon));
  sem_t s; sem_init(&s, 0, 1);
  errno = 7; say("semaphore", sem_wait(&s)); say("errno", errno); soon = in(20); say("timed", sem_timedwait(&s, &soon)); say("errno", errno);
  soon = in(20); errno = 0; say("by a clock", sem_clockwait(&s, CLOCK_REALTIME, &soon)); say("errno", errno);
  pthread_barrier_t barrier; pthread_barrier_init(&barrier, nullptr, 1); say("barrier", pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
  std::atomic<int> word{3};
  say("futex", static_cast<int>(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 4, nullptr, nullptr, 0))); say("errno", errno);
  timespec most{0, 20000000}; say("futex", static_cast<int>(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 3, &most, nullptr, 0))); say("errno", errno);
  say("wake", static_cast<int>(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0)));
  say("getpid", syscall(SYS_getpid) == getpid()); say("unknown", static_cast<int>(syscall(100000))); say("errno", errno);
  int ends[2]; if (pipe(ends) != 0) return 1;
  say("six arguments", static_cast<int>(syscall(SYS_splice, ends[0], nullptr, ends[1], nullptr, 0, 0)));
  fflush(stdout);
  if (const long child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr); child == 0) _exit(5);
  else { int status; waitpid(static_cast<pid_t>(child), &status, 0); say("child", WEXITSTATUS(status)); }
  pollfd input{ends[0], POLLIN, 0}; say("poll", poll(&input, 1, 20)); say("ppoll", ppoll(&input, 1, &most, nullptr)); say("sleep", poll(nullptr, 0, 20)); input.fd = -1; say("none", poll(&input, 1, 1));
  fd_set set; FD_ZERO(&set); FD_SET(ends[0], &set); timeval some{0, 20000}; say("select", select(ends[0] + 1, &set, nullptr, nullptr, &some));
  FD_SET(ends[0], &set); say("pselect", pselect(ends[0] + 1, &set, nullptr, nullptr, &most, nullptr));
  const int epoll = epoll_create1(0); epoll_event event{}; epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event); say("epoll", epoll_wait(epoll, &event, 1, 20)); say("epoll", epoll_pwait(epoll, &event, 1, 20, nullptr));
  // Cancelled in each of them: what it has on its stack is destroyed.
  static std::atomic<int> unwound{0};
  struct Unwound { ~Unwound() { ++unwound; } };
  static sem_t never; sem_init(&never, 0, 0);
  static pthread_cond_t nothing = PTHREAD_COND_INITIALIZER; static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  void* (*bodies[])(void*) = {
    [](void*) -> void* { Unwound here; sem_wait(&never); return nullptr; },
    [](void*) -> void* { Unwound here; struct Unlock { ~Unlock() { pthread_mutex_unlock(&mutex); } } unlock; pthread_mutex_lock(&mutex); pthread_cond_wait(&nothing, &mutex); return nullptr; },
    [](void*) -> void* { Unwound here; poll(nullptr, 0, -1); return nullptr; }};
  for (auto body : bodies) {
    pthread_t id; void* value; pthread_create(&id, nullptr, body, nullptr); usleep(20000); say("cancel", pthread_cancel(id)); pthread_join(id, &value); say("cancelled", value == PTHREAD_CANCELED);
  }
  say("unwound", unwound); say("free", pthread_mutex_trylock(&mutex));
}
X
./kinds >alone || fail "alone: exit status"
"$tp_run" -q -o kinds.data ./kinds >recorded || fail "recorded: exit status"
same "what the functions return" "$(cat alone)" "$(cat recorded)"
results=$(wc -l <alone)
[ "$results" -gt 60 ] || fail "only $results results"
analyze kinds.data
is 'p["complete"]'
# A malloc of the program's own waits for its lock while threads begin and end to be recorded.
build_stock allocator <<'X' || exit 1
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#include <vector>
extern "C" void* __libc_malloc(std::size_t);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile bool slow = false;
extern "C" void* malloc(std::size_t size) {
  pthread_mutex_lock(&mutex);
  void* const memory = __libc_malloc(size);
  if (slow) usleep(100);
  pthread_mutex_unlock(&mutex);
  return memory;
}
int main() {
  slow = true;
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i)
    threads.emplace_back([] { tbb::parallel_for(0, 10, [](int) { tp::spend(1); }, tbb::simple_partitioner()); });
  for (std::thread& thread : threads) thread.join();
}
X
for _ in 1 2 3; do
  "$tp_run" -q -e virtual -o allocator.data ./allocator || fail "allocator: exit status $?"
  analyze allocator.data
  is 'p["complete"] and p["work"] == 320'
done
finish
