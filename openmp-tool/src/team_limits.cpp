// SPDX-License-Identifier: Apache-2.0
// See team_limits.h. A thread has one limit per site and number of threads, however often it runs the region. A number
// that is the one which regions get anyway (as many as there are CPUs, or OMP_NUM_THREADS) is taken to follow it.
#include "team_limits.h"

#include <atomic>
#include <dlfcn.h>
#include <new>

namespace tp::omp {

namespace {

struct Limit : tp_arena {
  std::uint32_t site; // 0: any, of regions inside of others
  Limit* next;
  std::atomic<Limit*> inner; // of regions inside, of all threads
};
constexpr unsigned kMostOfThread = 64, kMost = 1024, kLists = 32;

#define TP_OF_THREAD [[gnu::tls_model("initial-exec")]] constinit thread_local
TP_OF_THREAD Limit* limits[kLists] = {}; // of the calling thread, by site
TP_OF_THREAD unsigned limit_count = 0;
TP_OF_THREAD std::uint32_t clause = 0;
TP_OF_THREAD bool has_set_threads = false; // outside of regions
TP_OF_THREAD const tp_arena* entered = nullptr;
#undef TP_OF_THREAD

constinit std::atomic<unsigned> all_limits{0};
constinit std::atomic<int> default_threads{
    0}; // that a region gets for which nothing is said; 0: not known

// 0: libomp has no such function.
int ask_runtime(const char* name) {
  const auto function = reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, name));
  return function != nullptr ? function() : 0;
}

void learn_default() {
  if (!has_set_threads && default_threads.load(std::memory_order_relaxed) == 0)
    default_threads.store(ask_runtime("omp_get_max_threads"), std::memory_order_relaxed);
}

Limit* find(Limit* first, std::uint32_t site, std::uint32_t threads) {
  while (first != nullptr && (first->site != site || first->asked != threads))
    first = first->next;
  return first;
}

// Null: there are too many.
Limit* make_limit(std::uint32_t site, std::uint32_t threads) {
  if (all_limits.fetch_add(1, std::memory_order_relaxed) >= kMost)
    return nullptr;
  auto* const limit = new (std::nothrow) Limit{{}, site, nullptr, nullptr};
  if (limit != nullptr)
    tp_on_arena_made(limit, static_cast<int>(threads), 0, threads,
                     ask_runtime("omp_get_num_procs"));
  return limit;
}

const tp_arena* limit_of_thread(std::uint32_t site, std::uint32_t threads) {
  Limit*& first = limits[site % kLists];
  if (const Limit* const known = find(first, site, threads))
    return known;
  Limit* const limit = limit_count < kMostOfThread ? make_limit(site, threads) : nullptr;
  if (limit == nullptr)
    return nullptr;
  if (static_cast<int>(threads) == default_threads.load(std::memory_order_relaxed))
    limit->like_machine = 1;
  limit->next = first;
  first = limit;
  ++limit_count;
  return limit;
}

// One for all threads of the region around, each of which may have a team of its own, one at a time: so whichever region
// inside that is.
const tp_arena* limit_inside(Limit& around, std::uint32_t threads) {
  Limit* limit = nullptr;
  for (Limit* first = around.inner.load(std::memory_order_acquire);;) {
    if (const Limit* const known = find(first, 0, threads))
      return known; // one that was made meanwhile in vain stays without use
    if (limit == nullptr)
      limit = make_limit(0, threads);
    if (limit == nullptr)
      return nullptr;
    limit->like_machine = around.like_machine;
    limit->next = first;
    if (around.inner.compare_exchange_weak(first, limit, std::memory_order_acq_rel))
      return limit;
  }
}

} // namespace

void note_clause(std::uint32_t threads) {
  clause = threads;
}

void note_set_threads() {
  if (ask_runtime("omp_get_level") > 0) // for the regions inside of this one
    return;
  learn_default();
  has_set_threads = true;
}

const tp_arena* limit_of_region(std::uint32_t site, std::uint32_t requested, bool may_be_limited,
                                const tp_arena* around) {
  const bool has_clause = clause != 0;
  clause = 0;
  if (around != nullptr && has_clause && requested > 0)
    return limit_inside(*static_cast<Limit*>(const_cast<tp_arena*>(around)),
                        around->asked * requested);
  // g++ passes an if clause that is false as one thread.
  if (!may_be_limited || requested == 0 || (!has_clause && !has_set_threads && requested > 1) ||
      tp_is_outside_of_tasks() == 0)
    return nullptr;
  learn_default();
  if (!has_clause && !has_set_threads && default_threads.load(std::memory_order_relaxed) <= 1)
    return nullptr;
  return limit_of_thread(site, requested);
}

void enter_limit(const tp_arena* limit) {
  static constexpr tp_arena kNone{};
  if (entered == nullptr && limit == nullptr)
    return; // also where oneTBB's arenas count
  entered = limit;
  tp_on_arena(limit != nullptr ? limit : &kNone, 0);
}

const tp_arena* entered_limit() {
  return entered;
}

} // namespace tp::omp
