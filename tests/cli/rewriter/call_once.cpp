// collaborative_call_once takes any number of arguments: the call stays as it is, what it calls does not.
#include <tbb/tbb.h>

int main() {
  tbb::collaborative_once_flag flag;
  int calls = 0;
  for (int turn = 0; turn < 2; ++turn)
    tbb::collaborative_call_once(flag, [&](int n) {
      tbb::parallel_for(0, n, [&](int) { ++calls; });
    }, 3);
  return calls == 3 ? 0 : 1;
}
