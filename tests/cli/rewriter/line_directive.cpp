// A file that a generator wrote: sites are where it says.
#include <tbb/tbb.h>
#line 100 "grammar.y"
int main() {
  tbb::parallel_for(0, 3, [](int) {});
  int line = __LINE__;
#line 12 "line_directive.cpp"
  tbb::parallel_for(0, 3, [](int) {});
  return line == 102 ? 0 : 1;
}
