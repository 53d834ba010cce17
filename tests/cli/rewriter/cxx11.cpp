// flags: -std=c++11 -pedantic-errors -Wall -Wextra -Wunused-macros -Werror
// What is inserted is C++11 without a warning.
#include <tbb/tbb.h>

static void f(int) {}

int main() {
  tbb::parallel_for(0, 3, f);
  tbb::parallel_invoke([] {}, [] {});
}
