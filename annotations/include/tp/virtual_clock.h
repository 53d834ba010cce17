/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual clock: work that arithmetic can predict.
 *
 * With TP_EVENT=virtual (tp-run -e virtual) the work of a program is what it passes to
 * tp_spend(), so the profile's integers can be computed by hand, on any machine and with any
 * number of threads; so for the time that it sleeps, by tp_sleep(). Without the profiler, and with any
 * other clock, they do nothing.
 * C99 and C++11. You may copy this file into your program: it needs no library. */
#ifndef TP_VIRTUAL_CLOCK_H
#define TP_VIRTUAL_CLOCK_H

#include <stdint.h>

/* The functions of the runtime; null without it. */
#ifdef __cplusplus
extern "C" __attribute__((weak)) void tp_spend(uint64_t units) noexcept;
extern "C" __attribute__((weak)) void tp_sleep(uint64_t units) noexcept;
#else
extern __attribute__((weak)) void tp_spend(uint64_t units);
extern __attribute__((weak)) void tp_sleep(uint64_t units);
#endif

#ifdef __cplusplus
namespace tp {
/* Adds `units` to the work of the current step. */
inline void spend(uint64_t units) noexcept {
  if (tp_spend)
    tp_spend(units);
}
/* The current step sleeps `units`. */
inline void sleep(uint64_t units) noexcept {
  if (tp_sleep)
    tp_sleep(units);
}
} // namespace tp
#endif

#endif
