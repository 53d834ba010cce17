/* SPDX-License-Identifier: Apache-2.0 */
/* Causal regions: what would the program gain if this code were faster, or parallel?
 *
 *   #include <tp/causal.h>
 *
 *   causal_begin("sort");                 a region, by name; several places may share one
 *   std::sort(v.begin(), v.end());
 *   causal_end("sort");
 *
 *   causal_begin(); ... causal_end();     no name: the region is the file and line of causal_begin
 *   causal_begin("io", 8);                with the speedup that you expect of it
 *   { tp::CausalRegion region{"sort"}; }  C++: ends with the block, also by an exception
 *   tp::pause(); ... tp::resume();        exclude this part of the program from the profile
 *
 * Regions without a name that begin on one line are one region: give them names. causal_begin takes
 * its name when it is first called there; for names that change, as in a loop over them, use
 * tp::CausalRegion.
 *
 * A region covers the work of the task that opened it up to the matching end, also across spawns
 * and waits, but not the tasks spawned inside. Of nested regions the outermost counts. Any
 * number of tasks may be in a region at the same time. An unmatched begin or end is reported on
 * stderr.
 *
 * You may copy this file into your program: it needs no library. The functions are weak symbols,
 * which are defined when the program runs with Taskpath's libtbb; without it a region costs one
 * test of a pointer. C99 and C++11. */
#ifndef TP_CAUSAL_H
#define TP_CAUSAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define TP_CAUSAL_NOEXCEPT noexcept
#else
#define TP_CAUSAL_NOEXCEPT
#endif

#ifndef TP_HOOKS_H
/* One per place in the source. */
typedef struct tp_region {
  const char* name; /* null or "": the region is this place */
  const char* file;
  unsigned line;
  double factor; /* expected speedup, 0: not given */
  uint32_t reserved;
} tp_region;
#endif

__attribute__((weak)) void tp_region_begin(tp_region* region) TP_CAUSAL_NOEXCEPT;
__attribute__((weak)) void tp_region_end(tp_region* region) TP_CAUSAL_NOEXCEPT;
__attribute__((weak)) void tp_set_paused(int paused) TP_CAUSAL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus

namespace tp {
namespace causal_detail {
// Takes the optional arguments of causal_begin: none, a name, or a name and a factor.
struct place {
  const char* file;
  unsigned line;
  constexpr tp_region operator()(const char* name = nullptr, double factor = 0) const noexcept {
    return tp_region{name, file, line, factor, 0};
  }
};
} // namespace causal_detail

/* A region that ends with the enclosing block. Names must stay valid until the program ends. */
class CausalRegion {
public:
#if defined(__GNUC__) || defined(__clang__)
  explicit CausalRegion(const char* name = nullptr, double factor = 0,
                        const char* file = __builtin_FILE(),
                        unsigned line = __builtin_LINE()) noexcept
#else
  explicit CausalRegion(const char* name = nullptr, double factor = 0, const char* file = "",
                        unsigned line = 0) noexcept
#endif
      : region_(causal_detail::place{file, line}(name, factor)) {
    if (tp_region_begin)
      tp_region_begin(&region_);
  }
  ~CausalRegion() {
    if (tp_region_end)
      tp_region_end(&region_);
  }
  CausalRegion(const CausalRegion&) = delete;
  CausalRegion& operator=(const CausalRegion&) = delete;

private:
  tp_region region_;
};

/* Exclude what follows from the profile; include it again. For all threads. A step that is in
 * progress in another thread is not divided: it counts if recording was not paused when it
 * began. */
inline void pause() noexcept {
  if (tp_set_paused)
    tp_set_paused(1);
}
inline void resume() noexcept {
  if (tp_set_paused)
    tp_set_paused(0);
}

} // namespace tp

#define TP_CAUSAL_RECORD(...)                                                                      \
  static tp_region tp_causal_place = ::tp::causal_detail::place{__FILE__, __LINE__}(__VA_ARGS__)
#else
/* C: a static object needs constants, so the name must be a literal. */
#define TP_CAUSAL_FIRST(first, ...) first
#define TP_CAUSAL_THIRD(first, second, third, ...) third
#define TP_CAUSAL_RECORD(...)                                                                      \
  static tp_region tp_causal_place = {TP_CAUSAL_FIRST("" __VA_ARGS__, 0), __FILE__, __LINE__,      \
                                      TP_CAUSAL_THIRD(0, __VA_ARGS__, 0, 0), 0}
#endif

/* Each place has a static record with its file and line. */
#define causal_begin(...)                                                                          \
  do {                                                                                             \
    TP_CAUSAL_RECORD(__VA_ARGS__);                                                                 \
    if (tp_region_begin)                                                                           \
      tp_region_begin(&tp_causal_place);                                                           \
  } while (0)
#define causal_end(...)                                                                            \
  do {                                                                                             \
    TP_CAUSAL_RECORD(__VA_ARGS__);                                                                 \
    if (tp_region_end)                                                                             \
      tp_region_end(&tp_causal_place);                                                             \
  } while (0)

#endif
