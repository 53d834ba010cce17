// flags: -fopenmp
// Directives inside the argument list, and a call inside a directive.
#include <omp.h>
#include <tbb/tbb.h>

void f(int) {}
int size() { return tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2); }

int main() {
  tbb::parallel_for(
#ifdef MANY
      0, 1000,
#else
      0, 3,
#endif
      f
#define AFTER
  );
#pragma omp parallel for num_threads(tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2))
  for (int i = 0; i < 3; ++i) f(i);
#ifdef NEVER
  tbb::parallel_for(0, 3, f);
#endif
}
