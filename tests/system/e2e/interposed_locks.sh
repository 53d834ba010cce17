# SPDX-License-Identifier: Apache-2.0
# Locks in odd places: what a program prints is what it prints without us, and each acquisition is counted where it
# is. Robust mutexes, those of two processes and with priorities, signal handlers, forks, cancellation, code that runs
# before main and after it, libraries that are unloaded; the unwinder's own lock.
. "$(dirname "$0")/common.inc"
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no libtbb-dev"
cat >plugin.cpp <<'X'
#line 2 "plugin.cpp"
#include <mutex>
static std::mutex mutex;
extern "C" int work(int n) {
  for (int i = 0; i < n; ++i) { std::lock_guard lock(mutex); }
  return n;
}
X
"$cxx" -std=c++17 -g -O1 -shared -fPIC plugin.cpp -o plugin.so || fail "plugin"
# Creates a thread when libtbb is initialized, and the library that sees threads and locks is not.
cat >early.cpp <<'X'
#line 2 "early.cpp"
#include <pthread.h>
#include <thread>
pthread_mutex_t early_mutex = PTHREAD_MUTEX_INITIALIZER;
__attribute__((constructor)) static void begin() {
  pthread_atfork([] { pthread_mutex_lock(&early_mutex); }, [] { pthread_mutex_unlock(&early_mutex); }, [] { pthread_mutex_unlock(&early_mutex); });
  std::thread([] {}).join();
}
X
"$cxx" -std=c++17 -g -O1 -shared -fPIC early.cpp -o libearly.so -Wl,--no-as-needed -ltbb || fail "libearly"
build_stock odd -std=c++20 -Wl,--no-as-needed -L. -Wl,-rpath,"$PWD" -learly -ldl <<'X'
#line 2 "odd.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <dlfcn.h>
#include <mutex>
#include <new>
#include <pthread.h>
#include <shared_mutex>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <threads.h>
#include <unistd.h>
using Attributes = pthread_mutexattr_t;
extern pthread_mutex_t early_mutex;
static void say(const char* what, long result) { std::printf("%s %ld\n", what, result); std::fflush(stdout); }
static pthread_mutex_t before_main, in_handler, per_thread, cancelled, held_in_fork;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static struct Early { Early() { pthread_mutex_lock(&before_main); pthread_mutex_unlock(&before_main); } ~Early() { pthread_mutex_lock(&before_main); say("after main", 1); pthread_mutex_unlock(&before_main); } } early_object;
struct AtThreadEnd { ~AtThreadEnd() {
#line 100
  pthread_mutex_lock(&per_thread); pthread_mutex_unlock(&per_thread);
} void use() {} };
static thread_local AtThreadEnd at_thread_end;
static void handle(int) {
#line 110
  pthread_mutex_lock(&in_handler); pthread_mutex_unlock(&in_handler);
}
int main() {
  tbb::parallel_for(0, 2, [](int) {});
  auto* const shared = static_cast<pthread_mutex_t*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  Attributes a; pthread_mutexattr_init(&a); pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED); pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST); pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(shared, &a);
  const pid_t child = fork();
  if (child == 0) { pthread_mutex_lock(shared); pthread_mutex_lock(&early_mutex); _exit(3); }
  int status = 0; waitpid(child, &status, 0); say("child", WEXITSTATUS(status));
#line 120
  say("owner died in the other process", pthread_mutex_lock(shared));
  say("consistent", pthread_mutex_consistent(shared)); say("unlock", pthread_mutex_unlock(shared));
  std::signal(SIGUSR1, handle);
#line 130
  for (int i = 0; i < 50; ++i) { pthread_mutex_lock(&held_in_fork); std::raise(SIGUSR1); pthread_mutex_unlock(&held_in_fork); }
  for (int i = 0; i < 7; ++i) std::thread([] { at_thread_end.use(); }).join();
  // Cancelled while it waits: the mutex is the thread's again.
  pthread_t id; void* value;
  pthread_create(&id, nullptr, [](void*) -> void* {
    pthread_cleanup_push([](void*) { say("unlock in cleanup", pthread_mutex_unlock(&cancelled)); }, nullptr);
#line 140
    pthread_mutex_lock(&cancelled); pthread_cond_wait(&never, &cancelled);
    pthread_cleanup_pop(0); return nullptr;
  }, nullptr);
  usleep(20000); pthread_cancel(id); pthread_join(id, &value); say("cancelled", value == PTHREAD_CANCELED);
  say("free", pthread_mutex_trylock(&cancelled)); pthread_mutex_unlock(&cancelled);
  // A fork that holds a mutex: the child has it.
  pthread_mutex_lock(&held_in_fork);
  const pid_t second = fork();
  if (second == 0) { say("child has it", pthread_mutex_unlock(&held_in_fork) + pthread_mutex_trylock(&held_in_fork)); std::fflush(stdout); _exit(0); }
  waitpid(second, &status, 0); pthread_mutex_unlock(&held_in_fork); say("status", status);
  if (const pid_t third = vfork(); third == 0) _exit(4); else { waitpid(third, &status, 0); say("vfork", WEXITSTATUS(status)); }
  for (int i = 0; i < 3; ++i) { void* const library = dlopen("./plugin.so", RTLD_NOW); say("plugin", reinterpret_cast<int (*)(int)>(dlsym(library, "work"))(11)); dlclose(library); }
  mtx_t c11; mtx_init(&c11, mtx_plain); say("c11", mtx_lock(&c11) + mtx_trylock(&c11)); mtx_unlock(&c11);
  std::once_flag once; std::call_once(once, [] { say("once", 1); });
  pthread_mutex_t checking; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK); pthread_mutex_init(&checking, &a);
#line 150
  say("checking", pthread_mutex_lock(&checking)); 
#line 160
  say("deadlock", pthread_mutex_lock(&checking)); say("unlock", pthread_mutex_unlock(&checking)); say("not owned", pthread_mutex_unlock(&checking));
  std::shared_timed_mutex timed;
#line 170
  say("timed", timed.try_lock_for(std::chrono::milliseconds(5)));
#line 180
  say("timed out", timed.try_lock_shared_for(std::chrono::milliseconds(5))); timed.unlock();
  alignas(std::mutex) static unsigned char memory[sizeof(std::mutex)];
#line 190
  for (int i = 0; i < 9; ++i) { auto* const again = new (memory) std::mutex; again->lock(); again->unlock(); again->~mutex(); }
}
X
./odd >alone || fail "alone: exit status $?"
timeout 60 "$tp_run" -q --locks all -o odd.data ./odd >recorded || fail "recorded: exit status $?"
same "what it prints" "$(cat alone)" "$(cat recorded)"
analyze odd.data
is 'p["complete"] and p["locks_observed"]["c_library"]'
# The constructor of libearly began to record before all that records was initialized, and says so nevertheless.
grep -q '"threads_seen":true.*"c_locks_seen":true' odd.data/run.json || fail "run.json: $(cat odd.data/run.json)"
counts=$(python3 - <<'X'
import json
from collections import Counter
count = Counter()
for lock in json.load(open("profile.json"))["locks"]:
    for place in lock["places"]:
        count[place["file"].rsplit("/", 1)[-1], place["line"]] += place["acquisitions"]
print(*(f"{file}:{line}={count[file, line]}" for file, line in sorted(count) if file == "plugin.cpp" or file == "odd.cpp" and (line % 10 == 0 or line in (144, 146))))
X
)
same "acquisitions" "odd.cpp:100=7 odd.cpp:110=50 odd.cpp:120=1 odd.cpp:130=50 odd.cpp:140=2 odd.cpp:144=1 odd.cpp:146=1 odd.cpp:150=1 odd.cpp:170=1 odd.cpp:190=9 plugin.cpp:5=33" "$counts"

# A program that makes code at run time registers its frames: the unwinder's library acquires its lock for that, which
# the recording needs to look up who acquires a lock.
build_stock frames <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <cstdio>
extern "C" { void __register_frame_info(const void*, void*); void* __deregister_frame_info(const void*); }
alignas(8) static unsigned first[] = {20, 0, 0x78010001, 0x08070c10, 0x00000190, 0, 0}, second[] = {20, 0, 0x78010001, 0x08070c10, 0x00000190, 0, 0};
int main() {
  static long room[2][16];
  __register_frame_info(first, room[0]);
  tbb::parallel_for(0, 2, [](int) {});
  __register_frame_info(second, room[1]);
  __deregister_frame_info(second);
  __deregister_frame_info(first);
  std::puts("done");
}
X
same "frames" "done" "$(timeout 60 "$tp_run" -q --locks all -o frames.data ./frames)"

# C11's locks are the C library's mutexes under other names, which call no function that is seen.
cat >c11.c <<'X'
#line 2 "c11.c"
#include <stdio.h>
#include <threads.h>
#include <time.h>
#include <tp/virtual_clock.h>
static mtx_t plain, timed, tried, twice, held, slow;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int ready, calls;
static void spend(int units) { if (tp_spend) tp_spend(units); }
static void say(const char* what, int result) { printf("%s %d\n", what, result); fflush(stdout); }
static struct timespec in(long ms) { struct timespec t; timespec_get(&t, TIME_UTC); t.tv_nsec += ms % 1000 * 1000000; t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000; t.tv_nsec %= 1000000000; return t; }
static void burn(long ms) { const clock_t until = clock() + ms * (CLOCKS_PER_SEC / 1000); while (clock() < until) {} }
static void count_calls(void) { ++calls; burn(60); spend(5); }
static int work(void* unused) {
  (void)unused;
  const struct timespec late = in(3600000);
  for (int i = 0; i < 100; ++i) {
    mtx_lock(&plain); spend(3); mtx_unlock(&plain);
    if (mtx_timedlock(&timed, &late) == thrd_success) { spend(4); mtx_unlock(&timed); }
    while (mtx_trylock(&tried) != thrd_success) thrd_yield();
    spend(1); mtx_unlock(&tried);
    mtx_lock(&twice); mtx_lock(&twice); spend(2); mtx_unlock(&twice); mtx_unlock(&twice);
  }
  call_once(&once, count_calls); call_once(&once, count_calls);
  return 7;
}
static int wait_for_main(void* unused) {
  (void)unused;
  mtx_lock(&held); while (!ready) cnd_wait(&changed, &held);
  spend(6); mtx_unlock(&held);
  return 0;
}
static int acquire_slow(void* unused) { (void)unused; const int result = mtx_lock(&slow); mtx_unlock(&slow); return result; }
int main(void) {
  thrd_t thread[2]; int value, sum = 0;
  say("init", mtx_init(&plain, mtx_plain) + mtx_init(&timed, mtx_timed) + mtx_init(&tried, mtx_plain) + mtx_init(&twice, mtx_recursive) + mtx_init(&held, mtx_timed) + mtx_init(&slow, mtx_plain) + cnd_init(&changed));
  for (int i = 0; i < 2; ++i) thrd_create(&thread[i], work, NULL);
  for (int i = 0; i < 2; ++i) { thrd_join(thread[i], &value); sum += value; }
  say("values", sum); say("calls", calls);
  thrd_create(&thread[0], wait_for_main, NULL);
  burn(20);
  mtx_lock(&held); spend(7); ready = 1; cnd_signal(&changed); mtx_unlock(&held);
  thrd_join(thread[0], &value);
  say("held", mtx_lock(&held));
  struct timespec soon = in(10);
  say("timed", mtx_timedlock(&held, &soon)); say("tried", mtx_trylock(&held));
  soon = in(10); say("condition", cnd_timedwait(&changed, &held, &soon)); say("unlock", mtx_unlock(&held));
  mtx_lock(&slow);
  thrd_create(&thread[0], acquire_slow, NULL);
  burn(60); mtx_unlock(&slow); thrd_join(thread[0], &value);
  say("slow", value);
  mtx_destroy(&plain); cnd_destroy(&changed);
  return 0;
}
X
"${CC:-cc}" -g -O1 c11.c -o c11 -I"$TP_PREFIX/include" -Wl,--no-as-needed -ltbb -lpthread || fail "c11 does not build"
./c11 >alone || fail "c11 alone: exit status $?"
timeout 60 "$tp_run" -q -e virtual --locks all -o c11.data ./c11 >recorded || fail "c11: exit status $?"
same "what c11 prints" "$(cat alone)" "$(cat recorded)"
analyze c11.data
is 'p["complete"] and p["work"] == 2 * 100 * (3 + 4 + 1 + 2) + 5 + 7 + 6'
is '[(lock["name"], lock["kind"], lock["acquisitions"], lock["held"]) for lock in sorted(p["locks"], key=lambda lock: lock["name"]) if lock["name"] not in ("held", "slow")] == [
  (name, "pthread_mutex", 200, 200 * units) for name, units in [("plain", 3), ("timed", 4), ("tried", 1), ("twice", 2)]]'
is '[lock["held"] for lock in p["locks"] if lock["name"] == "held"] == [13]'
# Who sleeps in them waits for another thread, so that the program has no latency.
timeout 60 "$tp_run" -q -e auto --locks all -o c11_time.data ./c11 >recorded || fail "c11, time: exit status $?"
analyze c11_time.data
is 'p["complete"] and (p["latency_ns"] is None or p["latency_ns"] < 30000000)'
finish
