// SPDX-License-Identifier: Apache-2.0
// Tasks in which functions have seven, two and one tenth of the instructions.
//   sampled TASKS INSTRUCTIONS
#include <oneapi/tbb/parallel_for.h>

#include <cstdlib>

namespace {

inline void loop(unsigned long n) {
#if defined(__aarch64__)
  asm volatile("0: subs %0, %0, #1\n b.ne 0b" : "+r"(n) : : "cc");
#elif defined(__x86_64__)
  asm volatile("0: dec %0\n jnz 0b" : "+r"(n) : : "cc");
#endif
}
[[gnu::noinline]] void most(unsigned long n) {
  loop(7 * n);
}
[[gnu::noinline]] void some(unsigned long n) {
  loop(2 * n);
}
[[gnu::noinline]] void little(unsigned long n) {
  loop(n);
}
[[gnu::noinline]] void all(unsigned long n) {
  most(n);
  some(n);
  little(n);
  asm volatile(""); // so that this is a call
}

} // namespace

int main(int, char** arguments) {
  const unsigned long n = std::strtoul(arguments[2], nullptr, 10) / 20;
  oneapi::tbb::parallel_for(0, std::atoi(arguments[1]), [=](int) { all(n); });
}
