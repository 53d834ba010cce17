// SPDX-License-Identifier: Apache-2.0
// pairs KIND PAIRS THREADS: each of THREADS tasks acquires and releases one lock PAIRS times, with next to nothing between.
// Prints the nanoseconds per pair: of the whole, divided by all pairs.
#define TBB_PREVIEW_MUTEXES 1
#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <tp/lock.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <string>

namespace {

long counter = 0;

template <typename Pair>
double run(long pairs, int threads, Pair pair) {
  tbb::task_arena arena(threads);
  return arena.execute([&] {
    tbb::task_group group;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < threads; ++i)
      group.run([&] {
        for (long n = 0; n < pairs; ++n)
          pair();
      });
    group.wait();
    const std::chrono::duration<double, std::nano> passed =
        std::chrono::steady_clock::now() - begin;
    return passed.count() / static_cast<double>(pairs * threads);
  });
}

template <typename Mutex>
double scoped(long pairs, int threads) {
  static Mutex mutex;
  return run(pairs, threads, [] {
    const typename Mutex::scoped_lock lock(mutex);
    ++counter;
  });
}
template <typename Mutex>
double reader(long pairs, int threads) {
  static Mutex mutex;
  return run(pairs, threads, [] {
    const typename Mutex::scoped_lock lock(mutex, /*write=*/false);
    static_cast<void>(*static_cast<volatile long*>(&counter));
  });
}

// Each pair is a step of its own: a task of a loop.
double of_tasks(long pairs, int threads) {
  static std::mutex mutex;
  return run(1, threads,
             [pairs] {
               tbb::parallel_for(
                   tbb::blocked_range<long>(0, pairs, 1),
                   [](const tbb::blocked_range<long>&) {
                     const std::lock_guard<std::mutex> lock(mutex);
                     ++counter;
                   },
                   tbb::simple_partitioner{});
             }) /
         static_cast<double>(pairs);
}

// One of 2^kBits locks, at random.
template <unsigned kBits>
double one_of_many(long pairs, int threads) {
  static std::mutex mutexes[1u << kBits];
  return run(pairs, threads, [] {
    static thread_local unsigned next = 0;
    next = next * 1664525u + 1013904223u;
    const std::lock_guard<std::mutex> lock(mutexes[next >> (32 - kBits)]);
    static_cast<void>(*static_cast<volatile long*>(&counter));
  });
}

// A lock of the program's own, with the annotations of tp/lock.h.
class OwnLock {
public:
  void lock() {
    tp::LockWait wait;
    while (flag_.exchange(true, std::memory_order_acquire))
      wait.begin(this);
    tp_lock_taken(this, "own lock");
  }
  void unlock() {
    tp_lock_given(this);
    flag_.store(false, std::memory_order_release);
  }

private:
  std::atomic<bool> flag_{false};
};

double time_of(const std::string& kind, long pairs, int threads) {
  if (kind == "spin_mutex")
    return scoped<tbb::spin_mutex>(pairs, threads);
  if (kind == "mutex")
    return scoped<tbb::mutex>(pairs, threads);
  if (kind == "queuing_mutex")
    return scoped<tbb::queuing_mutex>(pairs, threads);
  if (kind == "spin_rw_mutex")
    return scoped<tbb::spin_rw_mutex>(pairs, threads);
  if (kind == "rw_mutex")
    return scoped<tbb::rw_mutex>(pairs, threads);
  if (kind == "queuing_rw_mutex")
    return scoped<tbb::queuing_rw_mutex>(pairs, threads);
  if (kind == "spin_rw_mutex_read")
    return reader<tbb::spin_rw_mutex>(pairs, threads);
  if (kind == "rw_mutex_read")
    return reader<tbb::rw_mutex>(pairs, threads);
  if (kind == "own_lock") {
    static OwnLock mutex;
    return run(pairs, threads, [] {
      const std::lock_guard<OwnLock> lock(mutex);
      ++counter;
    });
  }
  if (kind == "pthread_spin") {
    static pthread_spinlock_t mutex;
    pthread_spin_init(&mutex, PTHREAD_PROCESS_PRIVATE);
    return run(pairs, threads, [] {
      pthread_spin_lock(&mutex);
      ++counter;
      pthread_spin_unlock(&mutex);
    });
  }
  if (kind == "priority_queue") { // one operation: each thread puts and gets an element in turn
    static tbb::concurrent_priority_queue<int> queue;
    return run(pairs, threads, [] {
      static thread_local int element = 0;
      static thread_local bool is_in = false;
      if (is_in)
        queue.try_pop(element);
      else
        queue.push(element);
      is_in = !is_in;
    });
  }
  if (kind == "hash_map_accessor") {
    static tbb::concurrent_hash_map<int, long> map;
    map.insert({1, 0});
    return run(pairs, threads, [] {
      tbb::concurrent_hash_map<int, long>::accessor found;
      map.find(found, 1);
      ++found->second;
    });
  }
  if (kind == "hash_map_accessor_of_65536") {
    static tbb::concurrent_hash_map<unsigned, long> map;
    for (unsigned key = 0; key < 1u << 16; ++key)
      map.insert({key, 0});
    return run(pairs, threads, [] {
      static thread_local unsigned next = 0;
      next = next * 1664525u + 1013904223u;
      tbb::concurrent_hash_map<unsigned, long>::accessor found;
      map.find(found, next >> 16);
      ++found->second;
    });
  }
  if (kind == "std_mutex") {
    static std::mutex mutex;
    return run(pairs, threads, [] {
      const std::lock_guard<std::mutex> lock(mutex);
      ++counter;
    });
  }
  if (kind == "std_recursive_mutex") {
    static std::recursive_mutex mutex;
    return run(pairs, threads, [] {
      const std::lock_guard<std::recursive_mutex> lock(mutex);
      ++counter;
    });
  }
  if (kind == "std_mutex_of_tasks")
    return of_tasks(pairs, threads);
  if (kind == "std_mutex_of_16")
    return one_of_many<4>(pairs, threads);
  if (kind == "std_mutex_of_64")
    return one_of_many<6>(pairs, threads);
  if (kind == "std_mutex_of_1024")
    return one_of_many<10>(pairs, threads);
  if (kind == "std_mutex_of_65536")
    return one_of_many<16>(pairs, threads);
  if (kind == "std_shared_mutex") {
    static std::shared_mutex mutex;
    return run(pairs, threads, [] {
      const std::lock_guard<std::shared_mutex> lock(mutex);
      ++counter;
    });
  }
  if (kind == "std_shared_mutex_read") {
    static std::shared_mutex mutex;
    return run(pairs, threads, [] {
      const std::shared_lock<std::shared_mutex> lock(mutex);
      static_cast<void>(*static_cast<volatile long*>(&counter));
    });
  }
  std::fprintf(stderr, "pairs: error: %s: unknown kind of lock\n", kind.c_str());
  std::exit(2);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4)
    return std::fprintf(stderr, "usage: pairs KIND PAIRS THREADS\n"), 2;
  std::printf("%.2f\n", time_of(argv[1], std::atol(argv[2]), std::atoi(argv[3])));
}
