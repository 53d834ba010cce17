// What bodies say of themselves, pasted names, two spawns by one macro, and a dependent group of another kind.
#include <tbb/tbb.h>
#include <cstdio>
#include <cstring>

#define CAT(a, b) a##b
#define TWO(g, f) g.run(f), g.run_and_wait(f)
#define ON(g, line) g.run([&] { ok &= __LINE__ == line; })

struct Other {
  template <typename F>
  void run(F f) { f(); }
};
template <typename Group>
void start(Group&& group) { group.run([&] { std::printf("%s %d\n", __func__, __LINE__); }); }

int main() {
  bool ok = true;
  tbb::task_group g;
  const char* const where = __func__;
  g.run([&] { ok &= __LINE__ == 21 && std::strcmp(where, "main") == 0; }), g.run([&] {
    ok &= __LINE__ == 22 && std::strcmp(__func__, "operator()") == 0;
    ok &= std::strcmp(&__FILE__[sizeof(__FILE__) - 4], "cpp") == 0;
  });
  tbb::CAT(parallel_, for)(0, 1, [&](int) { ok &= __LINE__ == 25; });
  int CAT(ru, n) = __LINE__; TWO(g, [&] { ok &= run == 26; });
  ON(g, 27); g.run([&] { ON(g, 27); });
  start(g);
  start(Other());
  return ok ? 0 : 1;
}
