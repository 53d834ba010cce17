// SPDX-License-Identifier: Apache-2.0
// See team_limits.h. A thread has one limit per site and number of threads, however often it runs the region. A number
// that is the one which regions get anyway (as many as there are CPUs, or OMP_NUM_THREADS) is taken to follow it.
#include "team_limits.h"

#include <atomic>
#include <dlfcn.h>
#include <new>

namespace tp::omp {

namespace {

struct Limit {
  std::uint32_t site;
  tp_arena arena;
  Limit* next;
};
constexpr unsigned kMostOfThread = 64, kMost = 1024;

#define TP_OF_THREAD [[gnu::tls_model("initial-exec")]] constinit thread_local
TP_OF_THREAD Limit* limits = nullptr; // of the calling thread
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

const tp_arena* make_limit(std::uint32_t site, std::uint32_t threads) {
  for (const Limit* each = limits; each != nullptr; each = each->next)
    if (each->site == site && each->arena.asked == threads)
      return &each->arena;
  if (limit_count == kMostOfThread || all_limits.fetch_add(1, std::memory_order_relaxed) >= kMost)
    return nullptr;
  auto* const limit = new (std::nothrow) Limit{site, {}, limits};
  if (limit == nullptr)
    return nullptr;
  tp_on_arena_made(&limit->arena, static_cast<int>(threads), 0, threads,
                   ask_runtime("omp_get_num_procs"));
  if (static_cast<int>(threads) == default_threads.load(std::memory_order_relaxed))
    limit->arena.like_machine = 1;
  limits = limit;
  ++limit_count;
  return &limit->arena;
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

const tp_arena* limit_of_region(std::uint32_t site, std::uint32_t requested, bool may_be_limited) {
  const bool has_clause = clause != 0;
  clause = 0;
  // g++ passes an if clause that is false as one thread.
  if (!may_be_limited || requested == 0 || (!has_clause && !has_set_threads && requested > 1) ||
      tp_is_outside_of_tasks() == 0)
    return nullptr;
  learn_default();
  if (!has_clause && !has_set_threads && default_threads.load(std::memory_order_relaxed) <= 1)
    return nullptr;
  return make_limit(site, requested);
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
