// A file with CR LF line ends.
#include <tbb/tbb.h>

int main() {
  tbb::parallel_for(0, 3, [](int) {
  });
  tbb::parallel_invoke([] {},
                       [] {}); int line = __LINE__;
  return line == 8 ? 0 : 1;
}
