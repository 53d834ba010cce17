// Literals that look like the end of the call.
#include <tbb/tbb.h>

int main() {
  const char* s = R"x(tbb::parallel_for(0, 3, f);)x"; tbb::parallel_for(0, 1, [](int) { (void)R"y(
)");)y"; });
  tbb::parallel_for(0, 1, [s](int) { (void)")"; (void)')'; /* ) */ (void)s; }) ; // )
}
