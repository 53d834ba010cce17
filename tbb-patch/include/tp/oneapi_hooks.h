/* SPDX-License-Identifier: Apache-2.0 */
// What the patched oneTBB headers need: records the place of the user's call as the site of spawns,
// the bodies of loops (divisible leaves) and the joins of reductions. Compiled into the user's
// program: C++11, no layout of oneTBB changes, and all calls use weak symbols, so that the program
// also runs on a stock libtbb.
#ifndef TP_ONEAPI_HOOKS_H
#define TP_ONEAPI_HOOKS_H

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
__attribute__((weak)) void tp_on_loop_end(std::uint64_t iterations, std::uint64_t grain) noexcept;
__attribute__((weak)) void tp_on_fold_split(void) noexcept;
__attribute__((weak)) void tp_on_fold_join(void) noexcept;
__attribute__((weak)) void tp_on_release_to(const void* key, int kept) noexcept;
__attribute__((weak)) void tp_on_acquire_from(const void* key, int kept) noexcept;
__attribute__((weak)) void tp_forget_edges(const void* key) noexcept;
__attribute__((weak)) void tp_on_once_end(const void* waited_at, const void* flag) noexcept;
__attribute__((weak)) void tp_on_after_once(const void* flag) noexcept;
__attribute__((weak)) std::uint32_t tp_name_of(const void* object) noexcept;
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

struct loop_size {
  std::uint64_t iterations;
  std::uint64_t grain;
};

// Iterations and grain size of oneTBB's range types, from their members; any other range is one
// indivisible iteration.
template <typename Range>
auto size_of_range(const Range& range, int)
    -> decltype(range.grainsize(), range.size(), loop_size()) {
  return {static_cast<std::uint64_t>(range.size()), static_cast<std::uint64_t>(range.grainsize())};
}
template <typename Range>
auto size_of_range(const Range& range, int) -> decltype(range.pages().size(), loop_size()) {
  return {static_cast<std::uint64_t>(range.pages().size()) * range.rows().size() *
              range.cols().size(),
          static_cast<std::uint64_t>(range.pages().grainsize()) * range.rows().grainsize() *
              range.cols().grainsize()};
}
template <typename Range>
auto size_of_range(const Range& range, long)
    -> decltype(range.rows().size(), range.cols().size(), loop_size()) {
  return {static_cast<std::uint64_t>(range.rows().size()) * range.cols().size(),
          static_cast<std::uint64_t>(range.rows().grainsize()) * range.cols().grainsize()};
}
template <typename Range>
loop_size size_of_range(const Range&, ...) {
  return {1, 1};
}

} // namespace detail

// The scope of one call of a loop body with a range.
class loop_scope {
public:
  template <typename Range>
  explicit loop_scope(const Range& range) : size_(detail::size_of_range(range, 0)) {
    if (tp_on_loop_begin != nullptr)
      tp_on_loop_begin();
  }
  ~loop_scope() {
    if (tp_on_loop_end != nullptr)
      tp_on_loop_end(size_.iterations, size_.grain);
  }
  loop_scope(const loop_scope&) = delete;
  loop_scope& operator=(const loop_scope&) = delete;

private:
  detail::loop_size size_;
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
};

inline void fold_split() noexcept {
  if (tp_on_fold_split != nullptr)
    tp_on_fold_split();
}
inline void fold_join() noexcept {
  if (tp_on_fold_join != nullptr)
    tp_on_fold_join();
}

} // namespace tp

#endif
