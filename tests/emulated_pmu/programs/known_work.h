// Work that is known to the instruction: what the programs here have in common, and what check.py counts again.
//
// burn(n) executes 2n + 2 instructions (3 on x86-64). A tree of tasks has nodes numbered as in a heap, 1 at the root; what a node burns
// follows from its number. `scale` 0 is the same program with empty loops: it tells what the boundaries of steps cost.
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

// Leaves give the CPU away, so that one CPU is enough for tasks to be stolen.
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
