#line 1 "expressions.cpp"
#include <tp/site.h>
#ifndef TP_SITE_6ffe240fe7daa733
#define TP_SITE_6ffe240fe7daa733 20u
namespace tp { namespace sites { template <int I> struct s_6ffe240fe7daa733 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_6ffe240fe7daa733<I>::record = {__FILE__, "main", TP_SITE_6ffe240fe7daa733, 8u | TP_SITE_EXPLICIT, "parallel_for", 20u}; } }
#endif
#ifndef TP_SITE_4ec93f79b455c0c0
#define TP_SITE_4ec93f79b455c0c0 21u
namespace tp { namespace sites { template <int I> struct s_4ec93f79b455c0c0 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_4ec93f79b455c0c0<I>::record = {__FILE__, "main", TP_SITE_4ec93f79b455c0c0, 8u | TP_SITE_EXPLICIT, "parallel_for", 21u}; } }
#endif
#ifndef TP_SITE_310630b329868216
#define TP_SITE_310630b329868216 23u
namespace tp { namespace sites { template <int I> struct s_310630b329868216 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_310630b329868216<I>::record = {__FILE__, "main", TP_SITE_310630b329868216, 8u | TP_SITE_EXPLICIT, "parallel_for", 23u}; } }
#endif
#ifndef TP_SITE_419bd89720fa9246
#define TP_SITE_419bd89720fa9246 25u
namespace tp { namespace sites { template <int I> struct s_419bd89720fa9246 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_419bd89720fa9246<I>::record = {__FILE__, "main", TP_SITE_419bd89720fa9246, 5u | TP_SITE_EXPLICIT, "task_group::run", 25u}; } }
#endif
#ifndef TP_SITE_a4928af85eb29c5d
#define TP_SITE_a4928af85eb29c5d 26u
namespace tp { namespace sites { template <int I> struct s_a4928af85eb29c5d { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_a4928af85eb29c5d<I>::record = {__FILE__, "main", TP_SITE_a4928af85eb29c5d, 5u | TP_SITE_EXPLICIT, "task_group::run", 26u}; } }
#endif
#ifndef TP_SITE_a80342c15b89788a
#define TP_SITE_a80342c15b89788a 27u
namespace tp { namespace sites { template <int I> struct s_a80342c15b89788a { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_a80342c15b89788a<I>::record = {__FILE__, "main", TP_SITE_a80342c15b89788a, 8u | TP_SITE_EXPLICIT, "parallel_for", 27u}; } }
#endif
#ifndef TP_SITE_dd4efa748ff249e1
#define TP_SITE_dd4efa748ff249e1 29u
namespace tp { namespace sites { template <int I> struct s_dd4efa748ff249e1 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_dd4efa748ff249e1<I>::record = {__FILE__, "main", TP_SITE_dd4efa748ff249e1, 8u | TP_SITE_EXPLICIT, "parallel_sort", 29u}; } }
#endif
#ifndef TP_SITE_193097a1d3bfc7ef
#define TP_SITE_193097a1d3bfc7ef 30u
namespace tp { namespace sites { template <int I> struct s_193097a1d3bfc7ef { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_193097a1d3bfc7ef<I>::record = {__FILE__, "main", TP_SITE_193097a1d3bfc7ef, 24u | TP_SITE_EXPLICIT, "parallel_reduce", 31u}; } }
#endif
#ifndef TP_SITE_79dce5cdc3197010
#define TP_SITE_79dce5cdc3197010 32u
namespace tp { namespace sites { template <int I> struct s_79dce5cdc3197010 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_79dce5cdc3197010<I>::record = {__FILE__, "main", TP_SITE_79dce5cdc3197010, 13u | TP_SITE_EXPLICIT, "parallel_for", 32u}; } }
#endif
#line 1 "expressions.cpp"
// Arguments of every kind: init-captures, move-only functors, structured bindings, bit-fields, braces.
#include <tbb/tbb.h>
#include <memory>
#include <utility>
#include <vector>

struct Bits {
  int n : 5;
};
struct MoveOnly {
  std::unique_ptr<int> count{new int(0)};
  void operator()() const { ++*count; }
};
int calls = 0;
void body(int) { ++calls; }
void body(double) { --calls; }

int main() {
  Bits bits{3};
  tbb::parallel_for(0, +bits.n, static_cast<void (*)(int)>(body)
, ::tp::site(::tp::sites::s_6ffe240fe7daa733<0>::record)
#line 20
                                                                );
  tbb::parallel_for<int>(0, bits.n, static_cast<void (&)(int)>(body)
, ::tp::site(::tp::sites::s_4ec93f79b455c0c0<0>::record)
#line 21
                                                                    );
  auto [first, last] = std::pair(0, 2);
  tbb::parallel_for(first, last, [p = std::make_unique<int>(1)](int) { calls += *p; }
, ::tp::site(::tp::sites::s_310630b329868216<0>::record)
#line 23
                                                                                     );
  tbb::task_group g;
  g.run(MoveOnly{}
, ::tp::site(::tp::sites::s_419bd89720fa9246<0>::record)
#line 25
                  );
  g.run([m = MoveOnly()] { m(); ++calls; }
, ::tp::site(::tp::sites::s_a4928af85eb29c5d<0>::record)
#line 26
                                          );
  tbb::parallel_for(tbb::blocked_range<int>{0, 4}, [](const auto& range) { calls += range.end(); }
, ::tp::site(::tp::sites::s_a80342c15b89788a<0>::record)
#line 27
                                                                                                  );
  std::vector<int> v{3, 1, 2};
  tbb::parallel_sort(v.begin(), v.end(), [](int a, int b) -> bool { return a > b; }
, ::tp::site(::tp::sites::s_dd4efa748ff249e1<0>::record)
#line 29
                                                                                   );
  const int sum = tbb::parallel_reduce(tbb::blocked_range<int>(0, 5), 7,
      [](const tbb::blocked_range<int>& r, int x) { return x + r.end(); }, [](int a, int b) { return a + b; }
, ::tp::site(::tp::sites::s_193097a1d3bfc7ef<0>::record)
#line 31
                                                                                                             ) +
      (tbb::parallel_for(0, 1, [](int) { ++calls; }
, ::tp::site(::tp::sites::s_79dce5cdc3197010<0>::record)
#line 32
                                                   ), 0);
  return calls == 3 + 3 + 2 + 1 + 4 + 1 && sum == 12 && v[0] == 3 ? 0 : calls;
}
