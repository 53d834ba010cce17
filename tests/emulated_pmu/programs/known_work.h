// SPDX-License-Identifier: Apache-2.0
// Work that is known to the instruction: what these programs share, and what check.py recalculates.
//
// burn(n) executes 2n + 2 instructions (3 on x86-64). The nodes of a tree of tasks are numbered as
// in a heap, with 1 at the root; a node's number determines what it burns. `scale` 0 is the same
// program with empty loops: it measures the cost of the boundaries of steps.
#pragma once

#include <oneapi/tbb/parallel_invoke.h>

#include <sched.h>

extern "C" void burn(unsigned long n);

#if defined(__aarch64__)
asm(R"(.pushsection .text
  .balign 16
  .type burn, %function
burn:
  cbz x0, 1f
0:
  subs x0, x0, #1
  b.ne 0b
1:
  ret
  .size burn, .-burn
  .popsection)");
#elif defined(__x86_64__)
asm(R"(.pushsection .text
  .balign 16
  .type burn, @function
burn:
  mov %rdi, %rcx
  jrcxz 1f
0:
  dec %rcx
  jnz 0b
1:
  ret
  .size burn, .-burn
  .popsection)");
#endif

inline unsigned long scale = 0;

// Leaves yield the CPU, so that tasks are stolen even on one CPU.
inline void run_node(int depth, unsigned long node) {
  if (depth == 0) {
    sched_yield();
    return burn(scale * (node % 97));
  }
  burn(scale * (node % 89));
  tbb::parallel_invoke([=] { run_node(depth - 1, 2 * node); },
                       [=] { run_node(depth - 1, 2 * node + 1); });
  burn(scale * (node % 83));
}
