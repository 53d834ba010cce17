#line 1 "unevaluated.cpp"
#include <tp/site.h>
#ifndef TP_SITE_695bceddd8bf3d57
#define TP_SITE_695bceddd8bf3d57 10u
namespace tp { namespace sites { template <int I> struct s_695bceddd8bf3d57 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_695bceddd8bf3d57<I>::record = {__FILE__, "start", TP_SITE_695bceddd8bf3d57, 99u | TP_SITE_EXPLICIT, "task_group::run", 10u}; } }
#endif
#ifndef TP_SITE_4fc6c0afa4578975
#define TP_SITE_4fc6c0afa4578975 12u
namespace tp { namespace sites { template <int I> struct s_4fc6c0afa4578975 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_4fc6c0afa4578975<I>::record = {__FILE__, "only", TP_SITE_4fc6c0afa4578975, 74u | TP_SITE_EXPLICIT, "parallel_for", 12u}; } }
#endif
#line 1 "unevaluated.cpp"
// flags: -std=c++20
// Nothing is spawned where nothing is evaluated.
#include <tbb/tbb.h>
#include <typeinfo>

using Sum = decltype(tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2));
template <typename F>
concept Runs = requires(tbb::task_group& g, F f) { g.run(f); };
template <typename F>
auto start(tbb::task_group& g, F f) noexcept(noexcept(g.run(f))) -> decltype(g.run(f)) { return g.run(f
, ::tp::site(::tp::sites::s_695bceddd8bf3d57<0>::record)
#line 10
                                                                                                       ); }
template <typename F>
void only(F f) requires requires(tbb::task_group g) { g.run(f); } { tbb::parallel_for(0, 1, f
, ::tp::site(::tp::sites::s_4fc6c0afa4578975<0>::record)
#line 12
                                                                                             ); }

int main() {
  tbb::task_group g;
  static_assert(!noexcept(g.run([] {})));
  static_assert(sizeof(g.run_and_wait([] {})) == sizeof(int));
  static_assert(Runs<void (*)()>);
  __typeof__(tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2)) n = 0;
  const auto& type = typeid(g.run([] {}));
  start(g, [] {});
  return type == typeid(void) ? static_cast<Sum>(n) : 1;
}
