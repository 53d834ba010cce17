#line 1 "lines.cpp"
#include <tp/site.h>
#ifndef TP_SITE_a8a5bba73907bdbe
#define TP_SITE_a8a5bba73907bdbe 21u
namespace tp { namespace sites { template <int I> struct s_a8a5bba73907bdbe { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_a8a5bba73907bdbe<I>::record = {__FILE__, "main", TP_SITE_a8a5bba73907bdbe, 5u | TP_SITE_EXPLICIT, "task_group::run", 21u}; } }
#endif
#ifndef TP_SITE_3a55541f29c42766
#define TP_SITE_3a55541f29c42766 21u
namespace tp { namespace sites { template <int I> struct s_3a55541f29c42766 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_3a55541f29c42766<I>::record = {__FILE__, "main", TP_SITE_3a55541f29c42766, 78u | TP_SITE_EXPLICIT, "task_group::run", 24u}; } }
#endif
#ifndef TP_SITE_23087aadd06849e8
#define TP_SITE_23087aadd06849e8 27u
namespace tp { namespace sites { template <int I> struct s_23087aadd06849e8 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_23087aadd06849e8<I>::record = {__FILE__, "main", TP_SITE_23087aadd06849e8, 16u | TP_SITE_EXPLICIT, "task_group::run", 27u}; } }
#endif
#line 1 "lines.cpp"
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
  g.run([&] { ok &= __LINE__ == 21 && std::strcmp(where, "main") == 0; }
, ::tp::site(::tp::sites::s_a8a5bba73907bdbe<0>::record)
#line 21
                                                                        ), g.run([&] {
    ok &= __LINE__ == 22 && std::strcmp(__func__, "operator()") == 0;
    ok &= std::strcmp(&__FILE__[sizeof(__FILE__) - 4], "cpp") == 0;
  }
, ::tp::site(::tp::sites::s_3a55541f29c42766<0>::record)
#line 24
   );
  tbb::CAT(parallel_, for)(0, 1, [&](int) { ok &= __LINE__ == 25; });
  int CAT(ru, n) = __LINE__; TWO(g, [&] { ok &= run == 26; });
  ON(g, 27); g.run([&] { ON(g, 27); }
, ::tp::site(::tp::sites::s_23087aadd06849e8<0>::record)
#line 27
                                     );
  start(g);
  start(Other());
  return ok ? 0 : 1;
}
