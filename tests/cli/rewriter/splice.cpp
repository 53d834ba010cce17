// Lines joined by a backslash, around the end of the call.
#include <tbb/tbb.h>

void f(int) {}

int main() {
  tbb::parallel_for(0, 3, f\
);
  tbb::parallel_for(0, 3, \
                    f \
      ); int line = __LINE__;
  tbb::parallel_\
for(0, 3, f);
  return line == 11 || line == 10 ? 0 : 1;
}
