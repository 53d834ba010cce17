/* SPDX-License-Identifier: Apache-2.0 */
/* How the patched oneTBB headers describe the range of a loop, or of a part of it, to the runtime
 * (tp/hooks.h). Plain data, owned by the caller. C99 and C++11. */
#ifndef TP_LOOP_RANGE_H
#define TP_LOOP_RANGE_H

#include <stdint.h>

typedef struct tp_dimension {
  uint64_t iterations; /* 0: the range could be divided, but its size is not known */
  uint64_t grain;
} tp_dimension;

typedef struct tp_range {
  tp_dimension of[3];
  uint32_t dimensions; /* 1 to 3 */
  uint32_t joins;      /* 1: the results of its parts have to be joined (reductions) */
} tp_range;

/* The state of a loop that runs its iterations one by one (tp_on_iterations). All zeros at first. */
typedef struct tp_iterations {
  uint64_t words[3];
} tp_iterations;

#endif
