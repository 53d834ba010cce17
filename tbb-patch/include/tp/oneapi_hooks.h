/* SPDX-License-Identifier: Apache-2.0 */
// What the patched oneTBB headers need: records the place of the user's call as the site of spawns,
// the bodies of loops (divisible leaves) and the joins of reductions. Compiled into the user's
// program: C++11, no layout of oneTBB changes, and all calls use weak symbols, so that the program
// also runs on a stock libtbb.
#ifndef TP_ONEAPI_HOOKS_H
#define TP_ONEAPI_HOOKS_H

#include "tp/loop_range.h"
#include "tp/site.h"
#include "tp/task_word.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

extern "C" {
__attribute__((weak)) std::uint32_t tp_enter_site(const void* site) noexcept;
__attribute__((weak)) void tp_leave_site(std::uint32_t previous) noexcept;
__attribute__((weak)) void tp_on_loop_begin(void) noexcept;
__attribute__((weak)) void tp_on_body_end(const tp_range* range) noexcept;
__attribute__((weak)) void tp_on_portion_end(const tp_range* range) noexcept;
__attribute__((weak)) void tp_on_portions_joined(void) noexcept;
__attribute__((weak)) std::uint64_t tp_on_iterations(tp_iterations* state,
                                                     std::uint64_t left) noexcept;
__attribute__((weak)) void tp_on_proportional_loop(const tp_range* range) noexcept;
__attribute__((weak)) int tp_divides(void) noexcept;
__attribute__((weak)) int tp_start_dividing(std::uint64_t iterations) noexcept;
__attribute__((weak)) int tp_should_divide(std::uint64_t iterations) noexcept;
__attribute__((weak)) void tp_on_fold_split(void) noexcept;
__attribute__((weak)) void tp_on_fold_join(void) noexcept;
__attribute__((weak)) void tp_on_fold(int joins) noexcept;
__attribute__((weak)) void tp_on_release_to(const void* key, int kept) noexcept;
__attribute__((weak)) void tp_on_acquire_from(const void* key, int kept) noexcept;
__attribute__((weak)) void tp_forget_edges(const void* key) noexcept;
__attribute__((weak)) void tp_on_once_end(const void* waited_at, const void* flag) noexcept;
__attribute__((weak)) void tp_on_after_once(const void* flag) noexcept;
__attribute__((weak)) std::uint32_t tp_name_of(const void* object) noexcept;
__attribute__((weak)) void tp_name_object(const void* object, const void* site) noexcept;
__attribute__((weak)) void tp_name_filter(const void* node, const void* site) noexcept;
}

// TP_HERE: the place of the call, as the default argument of a parameter.
// __builtin_source_location() needs this type; before C++20 no standard header declares it.
#if defined(__has_builtin)
#if __has_builtin(__builtin_source_location)
#define TP_HAS_LOCATION 1
#endif
#endif
#if defined(TP_HAS_LOCATION) && __cplusplus > 201703L
#include <source_location>
#elif defined(TP_HAS_LOCATION)
namespace std {
struct source_location {
  struct __impl {
    const char* _M_file_name;
    const char* _M_function_name;
    unsigned _M_line;
    unsigned _M_column;
  };
};
} // namespace std
#endif
#ifdef TP_HAS_LOCATION
#define TP_HERE ::tp::site(::tp::site::here(), __builtin_source_location())
#else
#define TP_HERE ::tp::site(::tp::site::here(), nullptr)
#endif

// The trailing parameter of a public entry point, and the first statement of its body.
#define TP_SITE_PARAM ::tp::site tp_site = TP_HERE
#define TP_SITE_SCOPE ::tp::site_scope tp_site_scope(tp_site)

// Preserves the type that the address of an entry point has with stock headers, which the parameter
// above changes. A call never selects this template, since Result cannot be deduced from it; taking
// the address with a given type does ([temp.deduct.funcaddr]). The place of such a call is its
// return address. For members the second argument is only the function's name. tp-rewrite
// recognizes these templates by the name Explicit.
#define TP_ADDRESS_OF(FUNCTION, ENTRY_POINT)                                                       \
  template <typename... Explicit, typename Result, typename... Args>                               \
  Result FUNCTION(Args... args) {                                                                  \
    return ENTRY_POINT(std::forward<Args>(args)..., ::tp::site(::tp::site::here(), nullptr));      \
  }

namespace tp {

// During its lifetime, spawns of the current task belong to the given site, unless an enclosing
// entry point was called first.
class site_scope {
public:
  explicit site_scope(const site& place) noexcept
      : entered_(tp_enter_site != nullptr && place.record != nullptr) {
    if (entered_)
      previous_ = tp_enter_site(place.record);
  }
  ~site_scope() {
    if (entered_)
      tp_leave_site(previous_);
  }
  site_scope(const site_scope&) = delete;
  site_scope& operator=(const site_scope&) = delete;

private:
  bool entered_;
  std::uint32_t previous_ = 0;
};

namespace detail {

template <typename Dimension>
tp_dimension dimension_of(const Dimension& dimension) {
  return {static_cast<std::uint64_t>(dimension.size()),
          static_cast<std::uint64_t>(dimension.grainsize())};
}

// Iterations and grain sizes of oneTBB's range types, from their members. Of any other range only
// whether it could be divided is known.
template <typename Range>
auto range_of(const Range& range, int) -> decltype(range.grainsize(), range.size(), tp_range()) {
  return {{dimension_of(range)}, 1, 0};
}
template <typename Range>
auto range_of(const Range& range, int) -> decltype(range.pages().size(), tp_range()) {
  return {
      {dimension_of(range.pages()), dimension_of(range.rows()), dimension_of(range.cols())}, 3, 0};
}
template <typename Range>
auto range_of(const Range& range, long)
    -> decltype(range.rows().size(), range.cols().size(), tp_range()) {
  return {{dimension_of(range.rows()), dimension_of(range.cols())}, 2, 0};
}
// blocked_rangeNd (blocked_nd_range): up to three dimensions.
template <typename Range>
auto range_of(const Range& range, long)
    -> decltype(range.dim(0).grainsize(), Range::ndims(), tp_range()) {
  tp_range found = {{{range.is_divisible() ? 0u : 1u, 1}}, 1, 0};
  if (Range::ndims() > 3)
    return found;
  found.dimensions = 0;
  for (; found.dimensions < Range::ndims(); ++found.dimensions)
    found.of[found.dimensions] = dimension_of(range.dim(found.dimensions));
  return found;
}
template <typename Range>
tp_range range_of(const Range& range, ...) {
  return {{{range.is_divisible() ? 0u : 1u, 1}}, 1, 0};
}

inline std::uint64_t iterations_of(const tp_range& range) {
  std::uint64_t iterations = 1;
  for (std::uint32_t i = 0; i < range.dimensions; ++i)
    iterations *= range.of[i].iterations;
  return iterations;
}

// tp-run --divide: whether to call the body for the halves of a range instead. One of unknown size is
// divided as far as it can be.
template <typename Range>
bool should_divide(const Range& range) {
  if (!range.is_divisible())
    return false;
  const std::uint64_t iterations = iterations_of(range_of(range, 0));
  return iterations == 0 || tp_should_divide(iterations) != 0;
}

// A body is a function object or, since 2022, a pointer to a member function of the range.
template <typename Range, typename Body>
auto call_body(Range& range, Body& body, int) -> decltype(void(body(range))) {
  body(range);
}
template <typename Range, typename Body>
auto call_body(Range& range, Body& body, long) -> decltype(void((range.*body)())) {
  (range.*body)();
}

template <typename Split, typename Range, typename Body>
void call_for_parts(Range& range, Body& body) {
  if (should_divide(range)) {
    Range right(range, Split());
    call_for_parts<Split>(range, body);
    call_for_parts<Split>(right, body);
    return;
  }
  const tp_range part = range_of(range, 0);
  call_body(range, body, 0);
  tp_on_portion_end(&part);
}

template <typename Split, typename Range, typename Body>
void reduce_parts(Range& range, Body& body) {
  if (should_divide(range)) {
    Range right_range(range, Split());
    Split splits;
    Body right(body, splits);
    reduce_parts<Split>(range, body);
    reduce_parts<Split>(right_range, right);
    body.join(right);
    tp_on_portions_joined();
    return;
  }
  tp_range part = range_of(range, 0);
  part.joins = 1;
  call_body(range, body, 0);
  tp_on_portion_end(&part);
}

} // namespace detail

// The scope of one call of a loop body with a range.
class loop_scope {
public:
  // `joins`: results of parts have to be joined.
  template <typename Range>
  explicit loop_scope(const Range& range, bool joins = false) : range_(detail::range_of(range, 0)) {
    range_.joins = joins;
    if (tp_on_loop_begin != nullptr)
      tp_on_loop_begin();
  }
  ~loop_scope() {
    if (tp_on_body_end != nullptr)
      tp_on_body_end(&range_);
  }
  loop_scope(const loop_scope&) = delete;
  loop_scope& operator=(const loop_scope&) = delete;

  // tp-run --divide: calls the body for parts of the range, one after the other. False: it did not.
  template <typename Split, typename Range, typename Body>
  bool divided(Range& range, Body& body) {
    if (!starts_dividing(range))
      return false;
    detail::call_for_parts<Split>(range, body);
    return true;
  }
  // The same, with a body for each half, and joins their results.
  template <typename Split, typename Range, typename Body>
  bool reduced(Range& range, Body& body) {
    if (!starts_dividing(range))
      return false;
    detail::reduce_parts<Split>(range, body);
    return true;
  }

  static bool divides() { return tp_divides != nullptr && tp_divides() != 0; }

private:
  template <typename Range>
  bool starts_dividing(const Range& range) const {
    if (!divides() || !range.is_divisible())
      return false;
    const std::uint64_t iterations = detail::iterations_of(range_);
    return iterations == 0 || tp_start_dividing(iterations) != 0;
  }

  tp_range range_;
};

namespace detail {
template <typename Start>
std::true_type is_reduction(typename Start::tree_node_type*);
template <typename Start>
std::false_type is_reduction(...);
} // namespace detail

// tp-run --divide: whether a task is one of a reduction, which then has one body call for the whole
// of its range, so that all of its parts are joined.
template <typename Start>
bool joins_parts() {
  return decltype(detail::is_reduction<Start>(nullptr))::value && loop_scope::divides();
}

// The iterations of a loop over an index, one by one: a look at the clock now and then shows what
// parts of them cost.
class loop_blocks {
public:
  // Where to look again, if iteration `at` is the next one, and `end` the end of the range.
  template <typename Index>
  typename std::enable_if<!std::is_integral<Index>::value, Index>::type end_of(const Index&,
                                                                               const Index& end) {
    return end;
  }
  template <typename Index>
  typename std::enable_if<std::is_integral<Index>::value, Index>::type end_of(Index at,
                                                                              Index end) noexcept {
    const std::uint64_t left = static_cast<std::uint64_t>(end - at);
    if (tp_on_iterations == nullptr ||
        (left == 1 && state_.words[0] == 0)) // a call of one iteration
      return end;
    return static_cast<Index>(at + static_cast<Index>(tp_on_iterations(&state_, left)));
  }

private:
  tp_iterations state_ = {{0, 0, 0}};
};

// Partitioners that divide a range in proportion to the number of threads (`Split` is their type of
// split): where a range is divided then depends on that number. tp-run --divide uses `Halving`
// instead of them. For all others, `type` is the partitioner itself.
template <typename Split, typename ProportionalSplit, typename Partitioner, typename Halving>
struct halving {
  static constexpr bool kReplaces = std::is_same<Split, ProportionalSplit>::value;
  typedef typename std::conditional<kReplaces, Halving, Partitioner>::type type;

  // True: run the loop with a partitioner of `type`.
  template <typename Range>
  static bool instead_for(const Range& range) {
    if (!kReplaces)
      return false;
    if (loop_scope::divides())
      return true;
    const tp_range whole = detail::range_of(range, 0);
    bool has_grain = false;
    for (std::uint32_t i = 0; i < whole.dimensions; ++i)
      has_grain = has_grain || whole.of[i].grain > 1;
    if (has_grain && tp_on_proportional_loop != nullptr && detail::iterations_of(whole) != 0)
      tp_on_proportional_loop(&whole);
    return false;
  }
};

// A parameter that also contains the place of the call: for entry points that end in a pack, after
// which a parameter with a default argument is not possible.
template <typename T>
struct located {
  template <typename From,
            typename = typename std::enable_if<
                std::is_convertible<From&&, T>::value &&
                !std::is_same<typename std::decay<From>::type, located>::value>::type>
  located(From&& from, TP_SITE_PARAM) : value(std::forward<From>(from)), place(tp_site) {}
  T value;
  site place;
};

// Edges that neither a spawn nor a wait expresses, stored under the address of an object that both
// sides know. For these and the following functions see those of the same name in tp/hooks.h.
inline void release_to(const void* key, bool kept = false) noexcept {
  if (tp_on_release_to != nullptr)
    tp_on_release_to(key, kept);
}
inline void acquire_from(const void* key, bool kept = false) noexcept {
  if (tp_on_acquire_from != nullptr)
    tp_on_acquire_from(key, kept);
}
inline void forget_edges(const void* key) noexcept {
  if (tp_forget_edges != nullptr)
    tp_forget_edges(key);
}

inline void once_end(const void* waited_at, const void* flag) noexcept {
  if (tp_on_once_end != nullptr)
    tp_on_once_end(waited_at, flag);
}
inline void after_once(const void* flag) noexcept {
  if (tp_on_after_once != nullptr)
    tp_on_after_once(flag);
}

// Sets the spawn site of a new task in advance (tp/task_word.h): the place where its node was
// constructed.
struct task_site {
  template <typename Task>
  static void set(Task& task, const void* node) noexcept {
    const std::uint32_t id = tp_name_of != nullptr ? tp_name_of(node) : 0;
    if (id != 0)
      task.m_reserved[TP_TASK_WORDS + 1] = id | TP_TASK_SITE_PRESET;
  }
  // The same for a task that carries an item to a filter of a pipeline, by the filter's site.
  template <typename Task>
  static void set_stage(Task& task, std::uint32_t site) noexcept {
    task.m_reserved[TP_TASK_WORDS + 1] = site | TP_TASK_SITE_STAGE | TP_TASK_SITE_PRESET;
  }
};

// The place where a filter was made names its calls. It is kept under the address of the filter's
// node, from which pipelines make their own filters.
inline void name_filter(const void* node, const site& place) noexcept {
  if (tp_name_filter != nullptr && place.record != nullptr)
    tp_name_filter(node, place.record);
}
inline void forget_filter(const void* node) noexcept {
  if (tp_name_object != nullptr)
    tp_name_object(node, nullptr);
}

inline void fold_split() noexcept {
  if (tp_on_fold_split != nullptr)
    tp_on_fold_split();
}
// `joins`: two results are joined now; a part that ran after the other one has the same result.
inline void fold_join(bool joins) noexcept {
  if (tp_on_fold != nullptr)
    tp_on_fold(joins);
  else if (tp_on_fold_join != nullptr) // an older runtime
    tp_on_fold_join();
}

} // namespace tp

#endif
