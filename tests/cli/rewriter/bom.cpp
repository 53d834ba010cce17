#include <tbb/tbb.h>  // a byte order mark before this
int main() {
  tbb::parallel_for(0, 3, [](int) {});
}
