// SPDX-License-Identifier: Apache-2.0
// Tasks that do less than they cost. The clock of this case is one of time.
#include <oneapi/tbb/task_group.h>

static long fib(int n) {
  if (n < 2)
    return n;
  long a = 0, b = 0;
  tbb::task_group group;
  group.run([&] { a = fib(n - 1); });
  b = fib(n - 2);
  group.wait();
  return a + b;
}

int main() {
  return fib(27) == 196418 ? 0 : 1;
}
