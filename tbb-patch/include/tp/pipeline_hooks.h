/* SPDX-License-Identifier: Apache-2.0 */
// What the patched parallel_pipeline.cpp needs: the order of its filters' calls, as edges. C++11.
//
// A call of a filter depends on the call of the previous filter for the same item (program order,
// or a spawn) and, in a serial filter, on the filter's previous call. If n exceeds the number of
// tokens, the n-th call of the input filter also depends on the item that returned its token:
// tokens are returned and taken in the same order, as in a fair counting semaphore. So the token
// limit is part of the span, even in a run that never waited for a token.
#ifndef TP_PIPELINE_HOOKS_H
#define TP_PIPELINE_HOOKS_H

#include "tp/hooks.h"
#include "tp/oneapi_hooks.h"

#include "oneapi/tbb/spin_mutex.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace tp {

// An edge that may never be acquired (the last call of a filter has no successor); then it is
// forgotten. Not thread-safe: the pipeline's own order ensures one thread at a time.
class unclaimed_edge {
public:
  unclaimed_edge() = default;
  ~unclaimed_edge() { tp_forget_edge(edge_); }
  unclaimed_edge(const unclaimed_edge&) = delete;
  unclaimed_edge& operator=(const unclaimed_edge&) = delete;

  void set(std::uint64_t edge) { tp_forget_edge(std::exchange(edge_, edge)); }
  std::uint64_t take() { return std::exchange(edge_, 0); }

private:
  std::uint64_t edge_ = 0;
};

// The tokens of one pipeline. Thread-safe.
class pipeline_tokens {
public:
  explicit pipeline_tokens(std::size_t tokens) : tokens_(tokens) {}
  ~pipeline_tokens() {
    for (std::size_t i = 0; ring_ != nullptr && i < tokens_; ++i)
      tp_forget_edge(ring_[i]);
    delete[] ring_;
  }
  pipeline_tokens(const pipeline_tokens&) = delete;
  pipeline_tokens& operator=(const pipeline_tokens&) = delete;

  // An item has passed the last filter and returns its token.
  void give() {
    if (tokens_ > max_tokens)
      return;
    const std::uint64_t edge = tp_on_release(0);
    tbb::detail::d1::spin_mutex::scoped_lock lock(mutex_);
    if (ring_ == nullptr && edge != 0)
      ring_ = new (std::nothrow) std::uint64_t[tokens_]();
    if (ring_ != nullptr)
      ring_[given_ % tokens_] = edge;
    ++given_;
  }
  // The input filter is about to be called. `used`: by a task that carried an item before; the call
  // then depends on its token and, if the filter is serial, on `previous_call`, but not on that
  // item.
  void take(bool used, std::uint64_t previous_call) {
    tp_on_acquire(previous_call, used);
    if (tokens_ > max_tokens)
      return;
    std::uint64_t edge = 0;
    bool is_first = false;
    {
      tbb::detail::d1::spin_mutex::scoped_lock lock(mutex_);
      if (taken_ >= tokens_ && ring_ != nullptr)
        edge = std::exchange(ring_[taken_ % tokens_], 0);
      is_first = taken_++ == 0;
    }
    if (is_first)
      tp_on_tokens(tokens_);
    tp_on_acquire(edge, used && previous_call == 0);
  }

private:
  // No machine has more items in flight; the edges of more tokens would only use memory.
  static constexpr std::size_t max_tokens = 65536;
  const std::size_t tokens_;
  tbb::detail::d1::spin_mutex mutex_;
  std::uint64_t* ring_ = nullptr;
  std::size_t given_ = 0, taken_ = 0;
};

// The filters of one pipeline, in their order, with the spawn sites of their calls. Filled before
// the pipeline runs, constant afterwards.
class pipeline_filters {
public:
  pipeline_filters() = default;
  ~pipeline_filters() {
    while (last_ != nullptr)
      delete std::exchange(last_, last_->before);
  }
  pipeline_filters(const pipeline_filters&) = delete;
  pipeline_filters& operator=(const pipeline_filters&) = delete;

  // The return address of the call of parallel_pipeline.
  const void* caller = nullptr;
  // To be called below that call. `node`: what tp::name_filter named.
  void add(const void* node, const void* filter, unsigned mode) {
    const void* const type = *static_cast<const void* const*>(filter);
    const std::uint32_t site = tp_filter_site(node, type, caller, ++filters_, mode & 3);
    if (site == 0)
      return;
    if (named* const fresh = new (std::nothrow) named{filter, site, last_})
      last_ = fresh;
  }
  // The task is going to be spawned, or returned, to call the filter.
  template <typename Task>
  void name(Task& task, const void* filter) const {
    for (const named* each = last_; each != nullptr; each = each->before)
      if (each->filter == filter) {
        task_site::set_stage(task, each->site);
        return;
      }
  }

private:
  struct named {
    const void* filter;
    std::uint32_t site;
    named* before;
  };
  named* last_ = nullptr;
  unsigned filters_ = 0;
};

} // namespace tp

#endif
