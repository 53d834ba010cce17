# SPDX-License-Identifier: Apache-2.0
# A program that was annotated for VTune, and knows nothing of us: its locks are recorded, with their names. Its
# static part is ours here, by the layout that all versions of ittnotify since 2010 have: a table of pointers,
# which a collector fills in. With TP_ITTNOTIFY, a folder with Intel's ittnotify_static.c, it is that one, too.
. "$(dirname "$0")/common.inc"
sums() { "$tp_analyze" -q --dump -d "$1" | python3 -B "$here/../../support/lock_sums.py"; }

cat >ittnotify.h <<'X'
extern "C" {
void itt_start();
extern void (*itt_create)(void*, const char*, const char*, int);
extern void (*itt_rename)(void*, const char*);
extern void (*itt_destroy)(void*);
extern void (*itt_prepare)(void*);
extern void (*itt_cancel)(void*);
extern void (*itt_acquired)(void*);
extern void (*itt_releasing)(void*);
extern void (*itt_task)(void*);
extern void* (*itt_domain)(const char*);
}
#define ITT(function, ...) (itt_##function ? itt_##function(__VA_ARGS__) : (void)0)
X
cat >ittnotify.cpp <<'X'
#include "ittnotify.h"
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
static void first(void*) {}
static void* first_domain(const char*) { static int domain; return &domain; }
extern "C" {
void (*itt_create)(void*, const char*, const char*, int);
void (*itt_rename)(void*, const char*);
void (*itt_destroy)(void*);
void (*itt_prepare)(void*);
void (*itt_cancel)(void*);
void (*itt_acquired)(void*);
void (*itt_releasing)(void*);
void (*itt_task)(void*) = first;
void* (*itt_domain)(const char*) = first_domain;
struct Function { const char* name; void** pointer; void* first; void* without; int group; };
static Function functions[] = {
#define ENTRY(api, name) {"__itt_" api, reinterpret_cast<void**>(&itt_##name), nullptr, nullptr, 16}
  ENTRY("sync_create", create), ENTRY("sync_rename", rename), ENTRY("sync_destroy", destroy), ENTRY("sync_prepare", prepare),
  ENTRY("sync_cancel", cancel), ENTRY("sync_acquired", acquired), ENTRY("sync_releasing", releasing), ENTRY("task_begin", task), ENTRY("domain_create", domain), {}};
struct Global { unsigned char magic[8]; unsigned long version[3]; volatile long state[3]; pthread_mutex_t mutex; void* library; void* handler; const char** path; Function* functions; Global* next; };
static Global global = {{0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30}, {3, 0, 2018}, {}, PTHREAD_MUTEX_INITIALIZER, nullptr, nullptr, nullptr, functions, nullptr};
void itt_start() {
  const char* const name = getenv("INTEL_LIBITTNOTIFY64");
  global.library = name != nullptr ? dlopen(name, RTLD_LAZY) : nullptr;
  auto* const begin = global.library != nullptr ? reinterpret_cast<void (*)(Global*, int)>(dlsym(global.library, "__itt_api_init")) : nullptr;
  if (begin != nullptr) begin(&global, 0xffff);
  else itt_task = nullptr, itt_domain = nullptr;
}
}
X
cat >annotated.cpp <<'X'
#line 2 "annotated.cpp"
#include "ittnotify.h"
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <tp/virtual_clock.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
using tp::spend;
class Lock {
public:
  explicit Lock(const char* name) { ITT(create, this, "Ticket", name, 2); }
  ~Lock() { ITT(destroy, this); }
  void lock() {
    ITT(prepare, this);
    const unsigned mine = next_++;
    while (serving_ != mine) {}
    ITT(acquired, this);
  }
  bool try_lock() {
    ITT(prepare, this);
    unsigned mine = serving_;
    if (!next_.compare_exchange_strong(mine, mine + 1)) { ITT(cancel, this); return false; }
    ITT(acquired, this);
    return true;
  }
  void unlock() { ITT(releasing, this); ++serving_; }
private:
  std::atomic<unsigned> next_{0}, serving_{0};
};
int main(int, char** arguments) {
  itt_start();
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::atoi(arguments[1]));
  static Lock first("totals"), second("");
  static int plain, barrier;
  static tbb::queuing_rw_mutex queuing; // announced by libtbb's own ittnotify, too
  ITT(rename, &plain, "renamed");
  ITT(create, &barrier, "Barrier", "all here", 1);
  tbb::parallel_for(0, 100, [&](int) {
    spend(1);
    first.lock(); spend(2); first.unlock();
    second.lock(); spend(3); second.unlock();
    tbb::queuing_rw_mutex::scoped_lock lock(queuing); spend(4);
  }, tbb::simple_partitioner());
  for (int i = 0; i < 3; ++i) { ITT(acquired, &plain); spend(10); ITT(releasing, &plain); }
  first.lock(); const bool again = first.try_lock(); spend(5); first.unlock();
  ITT(prepare, &barrier); ITT(acquired, &barrier);
  alignas(Lock) static unsigned char memory[sizeof(Lock)];
  for (int i = 0; i < 2; ++i) { Lock* const made = new (memory) Lock("made again"); made->lock(); spend(7); made->unlock(); made->~Lock(); }
  std::printf("%d %d %d\n", again, itt_task != nullptr, itt_domain != nullptr && itt_domain("x") != nullptr);
  std::fflush(stdout);
  _exit(0);
}
X
"$cxx" -std=c++17 -g -O1 annotated.cpp ittnotify.cpp -o annotated -idirafter "$TP_PREFIX/include" -ltbb -lpthread -ldl || { fail "does not build"; finish; }
same "without a collector" "0 0 0" "$(env -u INTEL_LIBITTNOTIFY64 ./annotated 2)"
for threads in 1 2 4; do
  same "$threads threads" "0 0 1" "$(TP_EVENT=virtual "$tp_run" -q --locks all -o itt.data ./annotated $threads)"
  sums itt.data >sums.txt
  same "$threads threads: itt_lock" "itt_lock sections=206 work=549 takes=0 gives=0 locks=5" "$(grep '^itt_lock' sums.txt)"
  same "$threads threads: queuing_rw_mutex" "queuing_rw_mutex sections=100 work=400 takes=0 gives=0 locks=1" "$(grep '^queuing' sums.txt)"
  analyze itt.data
  is 'p["complete"] and p["work"] == 100 * 10 + 30 + 5 + 14'
  # Each name is a row, though one line of the class acquires all of them; without a variable it is the row's.
  is 'sorted((lock["name"], lock["acquisitions"], lock["held"]) for lock in p["locks"] if lock["kind"] == "itt_lock") == [("main::first", 101, 205), ("main::memory", 2, 14), ("main::plain", 3, 30), ("main::second", 100, 300)]'
  same "$threads threads: names" "Ticket made again renamed totals" "$(sed -n 's/.*"kind":"itt_lock","name":"\([^"]*\)".*/\1/p' itt.data/sites.jsonl | sort -u | xargs)"
  is 'all(place["file"].endswith("annotated.cpp") for lock in p["locks"] if lock["kind"] == "itt_lock" for place in lock["places"])'
done
# The user's own collector stays, which is said; without locks there is none.
cp "$TP_PREFIX/lib/libtaskpath-preload.so" other.so
INTEL_LIBITTNOTIFY64=$PWD/other.so TP_EVENT=virtual "$tp_run" -o other.data ./annotated 2 >out 2>err || fail "other collector: exit status"
grep -q "INTEL_LIBITTNOTIFY64 is set, to $PWD/other.so" err || fail "another collector is not mentioned: $(cat err)"
same "--locks=off" "0 0 0" "$(env -u INTEL_LIBITTNOTIFY64 "$tp_run" -q --locks off -o off.data ./annotated 2)"

# A process forks while another thread makes locks: the child can make some, too.
cat >forks.cpp <<'X'
#include "ittnotify.h"
#include <oneapi/tbb/parallel_for.h>
#include <atomic>
#include <cstdio>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
int main() {
  itt_start();
  tbb::parallel_for(0, 2, [](int) {});
  static int theirs[64], ours;
  std::atomic<bool> ends{false};
  std::thread other([&] { for (unsigned i = 0; !ends; ++i) { ITT(create, &theirs[i % 64], "Mutex", "theirs", 2); ITT(destroy, &theirs[i % 64]); } });
  int right = 0;
  for (int i = 0; i < 100; ++i) {
    const pid_t child = fork();
    if (child == 0) { alarm(20); ITT(create, &ours, "Mutex", "ours", 2); ITT(rename, &ours, "renamed"); ITT(destroy, &ours); _exit(7); }
    int status = 0; waitpid(child, &status, 0);
    right += WIFEXITED(status) && WEXITSTATUS(status) == 7;
    if (WIFSIGNALED(status)) break;
  }
  ends = true; other.join();
  std::printf("%d %d\n", itt_create != nullptr, right);
}
X
"$cxx" -std=c++17 -g -O1 forks.cpp ittnotify.cpp -o forks -ltbb -lpthread -ldl || fail "forks does not build"
same "forks" "1 100" "$(timeout 120 "$tp_run" -q --locks all -o forks.data ./forks)"

# What ittnotify's static part locks is none of the program's; the program's other locks are.
build_stock foreign <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <pthread.h>
struct Global { long version[3]; pthread_mutex_t mutex; };
static Global __itt__ittapi_global = {{3, 0, 2018}, PTHREAD_MUTEX_INITIALIZER};
static Global own = {{3, 0, 2018}, PTHREAD_MUTEX_INITIALIZER};
int main() {
  tbb::parallel_for(0, 100, [](int) {
    pthread_mutex_lock(&__itt__ittapi_global.mutex); tp::spend(5); pthread_mutex_unlock(&__itt__ittapi_global.mutex);
    pthread_mutex_lock(&own.mutex); tp::spend(3); pthread_mutex_unlock(&own.mutex);
  }, tbb::simple_partitioner());
}
X
TP_EVENT=virtual "$tp_run" -q --locks all -o foreign.data ./foreign || fail "foreign: exit status"
analyze foreign.data
is 'p["work"] == 800 and [(lock["variable"], lock["acquisitions"], lock["held"]) for lock in p["locks"] if lock["kind"] == "pthread_mutex" and lock["held"] > 0] == [("own", 100, 300)]'
is 'not any("ittapi" in lock["name"] for lock in p["locks"])'

# Intel's own static part, where its sources are.
if [ -e "${TP_ITTNOTIFY:-}/ittnotify_static.c" ]; then
  cat >intel.cpp <<'X'
#include <ittnotify.h> // Intel's
#include <tp/virtual_clock.h>
#include <oneapi/tbb/parallel_for.h>
#include <mutex>
#include <unistd.h>
static std::mutex mutex; static int announced;
int main() {
  __itt_sync_create(&announced, "Mutex", "by Intel's", __itt_attr_mutex);
  tbb::parallel_for(0, 50, [](int) {
    __itt_sync_prepare(&announced); mutex.lock(); __itt_sync_acquired(&announced);
    tp::spend(3);
    __itt_sync_releasing(&announced); mutex.unlock();
  }, tbb::simple_partitioner());
  __itt_domain* const domain = __itt_domain_create("here");
  __itt_task_begin(domain, __itt_null, __itt_null, __itt_string_handle_create("task")); __itt_task_end(domain);
  _exit(0);
}
X
  gcc -w -c -O1 -DITT_ENABLE_TRACE "$TP_ITTNOTIFY/ittnotify_static.c" -o static.o && "$cxx" -w -std=c++17 -g -O1 -I"$TP_ITTNOTIFY" intel.cpp static.o -o intel -idirafter "$TP_PREFIX/include" -ltbb -lpthread -ldl || { fail "intel does not build"; finish; }
  TP_EVENT=virtual "$tp_run" -q --locks all -o intel.data ./intel || fail "intel: exit status $?"
  grep -q '"kind":"itt_lock","name":"by Intel' intel.data/sites.jsonl || fail "Intel's static part: the name is missing"
  same "Intel's static part" "itt_lock sections=50 work=150 takes=0 gives=0 locks=1" "$(sums intel.data | grep '^itt_lock')"
fi
finish
