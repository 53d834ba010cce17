// What a macro wrote has no place to insert into: bodies, arguments, names.
#include <cassert>
#include <tbb/tbb.h>

#define EACH(n, f) tbb::parallel_for(0, n, f)
#define TEXT(x) #x
#define SAME(x) x
#define PFOR tbb::parallel_for
#define CLOSE )
#define THREE 3
#define BODY [](int) {}

int one() { tbb::parallel_for(0, 1, [](int) {}); return 1; }

int main() {
  EACH(3, [](int) {});
  assert(tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2) == 1);
  const char* text = TEXT(tbb::parallel_for(0, 3, f));
  SAME(tbb::parallel_for(0, 3, [](int) { tbb::parallel_for(0, 1, BODY); }));
  PFOR(0, 3, BODY);
  tbb::parallel_for(0, 3, BODY CLOSE;
  tbb::parallel_for(0, THREE, BODY);
  EACH(3, [](int) { one(); });
  return text[0] == 't' ? 0 : 1;
}
