# SPDX-License-Identifier: Apache-2.0
# Programs that acquire locks where others hold those of the C library: while the dynamic loader's is held, in children
# that are forked at any moment; those with an unwinder of their own, and those in which nothing can be seen.
. "$(dirname "$0")/common.inc"
export TP_EVENT=auto
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no libtbb-dev"

# dl_iterate_phdr holds a lock of the loader's, and its caller acquires thousands of locks there that the recording has
# not met, as another thread does elsewhere. No thread waits for ever.
build_stock loader <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <atomic>
#include <cstdio>
#include <link.h>
#include <pthread.h>
#include <thread>
#include <unistd.h>
constexpr int kLocks = 20000, kEach = 20;
static pthread_mutex_t theirs[kLocks], ours[kLocks];
static int acquire(dl_phdr_info*, std::size_t, void* first) {
  for (int i = 0; i < kEach; ++i) { pthread_mutex_lock(static_cast<pthread_mutex_t*>(first) + i); pthread_mutex_unlock(static_cast<pthread_mutex_t*>(first) + i); }
  return 1;
}
int main() {
  alarm(120);
  tbb::parallel_for(0, 2, [](int) {});
  std::atomic<int> acquired{0};
  std::thread other([&] { for (pthread_mutex_t& each : theirs) { pthread_mutex_lock(&each); ++acquired; pthread_mutex_unlock(&each); } });
  for (int i = 0; i < kLocks; i += kEach) dl_iterate_phdr(acquire, &ours[i]);
  other.join();
  std::printf("%d\n", acquired.load());
}
X
same "loader" 20000 "$("$tp_run" -q --locks all -o loader.data ./loader)"
analyze loader.data
is 'p["complete"] and sum(lock["acquisitions"] for lock in p["locks"] if lock["variable"] in ("theirs", "ours")) == 40000'

# Forked while another thread acquires locks that the recording has not met: the child records, too. Without workers, one of
# which may have a mutex of oneTBB's when the process forks, for which the child then waits for ever, also without us.
build_stock forks <<'X'
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
int main() {
  tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  tbb::parallel_for(0, 2, [](int) {});
  std::atomic<bool> ends{false};
  static pthread_mutex_t locks[1 << 20], own = PTHREAD_MUTEX_INITIALIZER;
  std::thread other([&] { for (pthread_mutex_t& each : locks) { if (ends) break; pthread_mutex_lock(&each); pthread_mutex_unlock(&each); } });
  int right = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      tbb::parallel_for(0, 4, [](int) { pthread_mutex_lock(&own); pthread_mutex_unlock(&own); });
      std::_Exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    right += WIFEXITED(status) && WEXITSTATUS(status) == 7;
    if (WIFSIGNALED(status)) break;
  }
  ends = true;
  other.join();
  std::printf("%d\n", right);
}
X
same "forks" 20 "$("$tp_run" -q --locks all -o forks.data ./forks)"
last=$(find . -maxdepth 1 -name 'forks.data.*' | sort | tail -1)
analyze "${last:?no child was recorded}"
is 'p["complete"] and [lock["acquisitions"] for lock in p["locks"] if lock["variable"].endswith("own")] == [4]'

# C++20's semaphores, latches, barriers and waits for an atomic variable are waits, and no locks.
build_stock waits -std=c++20 <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <atomic>
#include <barrier>
#include <cstdio>
#include <ctime>
#include <latch>
#include <semaphore>
#include <thread>
static void nap() { const timespec t{0, 20000000}; nanosleep(&t, nullptr); }
int main() {
  tbb::parallel_for(0, 2, [](int) {});
  static std::counting_semaphore<4> semaphore{0}; static std::latch latch{2}; static std::barrier<> barrier{2}; static std::atomic<int> word{0};
  std::thread other([] { nap(); semaphore.release(); nap(); latch.arrive_and_wait(); nap(); barrier.arrive_and_wait(); nap(); word = 1; word.notify_one(); });
  semaphore.acquire(); latch.arrive_and_wait(); barrier.arrive_and_wait(); word.wait(0);
  other.join();
  std::puts("done");
}
X
same "waits" "done" "$("$tp_run" -q --locks all -o waits.data ./waits)"
analyze waits.data
is 'p["complete"] and p["locks"] == []'

# The unwinder is the program's own, and acquires a lock of the program's: the recording, which asks it for frames, would
# wait for itself. The C library's locks are not seen there.
build_stock unwinder -Wl,--export-dynamic -ldl <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <cstdio>
#include <dlfcn.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
extern "C" const void* _Unwind_Find_FDE(void* address, void* bases) {
  static auto* const next = reinterpret_cast<const void* (*)(void*, void*)>(dlsym(RTLD_NEXT, "_Unwind_Find_FDE"));
  pthread_mutex_lock(&mutex);
  const void* const found = next(address, bases);
  pthread_mutex_unlock(&mutex);
  return found;
}
int main() {
  tbb::parallel_for(0, 100, [](int) { pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); });
  std::puts("done");
}
X
same "unwinder" "done" "$(timeout 60 "$tp_run" -q --locks all -o unwinder.data ./unwinder)"
grep -q '"c_locks_seen":false' unwinder.data/run.json || fail "unwinder: $(cat unwinder.data/run.json)"

# oneTBB comes by dlopen, when threads and locks are there already.
build_stock plugin.so -shared -fPIC <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
extern "C" int run(int n) {
  static long sum = 0;
  tbb::parallel_for(0, n, [](int) { pthread_mutex_lock(&mutex); ++sum; pthread_mutex_unlock(&mutex); }, tbb::simple_partitioner());
  return static_cast<int>(sum);
}
X
"$cxx" -std=c++17 -g -O1 -x c++ - -o late -ldl -lpthread <<'X' || fail "late does not build"
#include <cstdio>
#include <dlfcn.h>
#include <mutex>
#include <thread>
static std::mutex before;
int main() {
  std::thread first([] { for (int i = 0; i < 1000; ++i) std::lock_guard lock(before); });
  first.join();
  void* const library = dlopen("./plugin.so", RTLD_NOW);
  auto* const run = library != nullptr ? reinterpret_cast<int (*)(int)>(dlsym(library, "run")) : nullptr;
  if (run == nullptr) return std::puts(dlerror()), 1;
  std::thread second([run] { std::printf("%d ", run(30000)); });
  second.join();
  std::printf("%d\n", run(30000));
}
X
for locks in all auto; do
  same "late" "30000 60000" "$("$tp_run" -q --locks $locks -o late.data ./late)"
  analyze late.data
  is 'p["complete"] and [lock["acquisitions"] for lock in p["locks"] if lock["variable"].endswith("mutex")] == [60000]'
done

# The mutex of a malloc is needed for the memory of records, and not announced. In a library: the locks of the program are, and in
# a program that calls malloc through an entry of its own. The program's own malloc: none is.
cat >allocator.cpp <<'X'
#include <cstddef>
#include <cstdlib>
#include <pthread.h>
extern "C" {
void* __libc_malloc(std::size_t);
void __libc_free(void*);
static pthread_mutex_t allocator_mutex = PTHREAD_MUTEX_INITIALIZER;
void* malloc(std::size_t size) noexcept {
  pthread_mutex_lock(&allocator_mutex);
  void* const memory = __libc_malloc(size);
  pthread_mutex_unlock(&allocator_mutex);
  return memory;
}
void free(void* memory) noexcept {
  pthread_mutex_lock(&allocator_mutex);
  __libc_free(memory);
  pthread_mutex_unlock(&allocator_mutex);
}
}
X
cat >allocating.cpp <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
int main() {
  static std::mutex mutex;
  static void* (*volatile get)(std::size_t) = &std::malloc;
  tbb::parallel_for(0, 20000, [](int i) {
    std::free(get(static_cast<std::size_t>(i)));
    std::lock_guard lock(mutex);
    std::free(get(static_cast<std::size_t>(i)));
  }, tbb::simple_partitioner());
  for (int i = 0; i < 1000; ++i) {
    const auto each = std::make_unique<std::mutex>(); // each is met for the first time
    std::lock_guard lock(*each);
  }
  std::puts("done");
}
X
"$cxx" -O1 -shared -fPIC allocator.cpp -o liballocator.so || fail "liballocator does not build"
build_stock in_library -L. -Wl,-rpath,"$PWD" -Wl,--no-as-needed -lallocator <allocating.cpp
build_stock by_entry -fno-pie -no-pie <allocating.cpp
{ cat allocator.cpp allocating.cpp; } | build_stock own_malloc
for program in in_library by_entry own_malloc; do
  same "$program" "done" "$(timeout 120 "$tp_run" -q --locks all -o $program.data ./$program)"
  analyze $program.data
  is 'p["complete"]'
  if [ $program = own_malloc ]; then
    is 'p["locks_observed"]["c_library"] is False and [lock for lock in p["locks"] if lock["kind"].startswith("pthread")] == []'
    is '[warning["text"] for warning in p["warnings"] if warning["name"] == "c_locks_not_observed"][0].endswith("the program has its own malloc, operator new or unwinder, which may acquire them")'
  else
    is 'p["locks_observed"]["c_library"] is True'
    is 'sorted(lock["acquisitions"] for lock in p["locks"]) == [1000, 20000]'
  fi
done

# Nothing can be put in front of a static program, nor of one with other rights: it runs, and that is said.
if command -v musl-gcc >/dev/null; then
  printf '#include <pthread.h>\n#include <stdio.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int main(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); puts("done"); return 3; }\n' >static.c
  musl-gcc -static -o static static.c || fail "static does not build"
  status=0
  "$tp_run" --locks all -o static.data ./static >out 2>err || status=$?
  same "static: exit status" 3 $status
  same "static" "done" "$(cat out)"
  in_file err "is linked statically"
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  any_program | build_stock privileged
  chmod 755 . && chmod u+s privileged && mkdir -m 777 open
  if setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$tp_run" -a -x ./privileged; then
    status=0
    (cd open && setpriv --reuid=65534 --regid=65534 --clear-groups "$tp_run" --locks all -o privileged.data ../privileged) >out 2>err || status=$?
    same "set-user-ID: exit status" 0 $status
    same "set-user-ID" "done" "$(cat out)"
    # Where the file system ignores that bit, it is recorded as any other program.
    [ -d open/privileged.data ] || in_file err "nothing was recorded: ../privileged is set-user-id"
  fi
fi
finish
