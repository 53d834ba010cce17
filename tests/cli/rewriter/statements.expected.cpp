#line 1 "statements.cpp"
#include <tp/site.h>
#ifndef TP_SITE_f11ee1ecf576c8a0
#define TP_SITE_f11ee1ecf576c8a0 6u
namespace tp { namespace sites { template <int I> struct s_f11ee1ecf576c8a0 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_f11ee1ecf576c8a0<I>::record = {__FILE__, "spawn", TP_SITE_f11ee1ecf576c8a0, 33u | TP_SITE_EXPLICIT, "parallel_for", 6u}; } }
#endif
#ifndef TP_SITE_18d20783f109776f
#define TP_SITE_18d20783f109776f 11u
namespace tp { namespace sites { template <int I> struct s_18d20783f109776f { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_18d20783f109776f<I>::record = {__FILE__, "main", TP_SITE_18d20783f109776f, 19u | TP_SITE_EXPLICIT, "task_group::run", 11u}; } }
#endif
#ifndef TP_SITE_9be6fccd06bd5d23
#define TP_SITE_9be6fccd06bd5d23 11u
namespace tp { namespace sites { template <int I> struct s_9be6fccd06bd5d23 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_9be6fccd06bd5d23<I>::record = {__FILE__, "main", TP_SITE_9be6fccd06bd5d23, 60u | TP_SITE_EXPLICIT, "task_group::run", 11u}; } }
#endif
#ifndef TP_SITE_99d4b54e72ae2e7b
#define TP_SITE_99d4b54e72ae2e7b 12u
namespace tp { namespace sites { template <int I> struct s_99d4b54e72ae2e7b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_99d4b54e72ae2e7b<I>::record = {__FILE__, "main", TP_SITE_99d4b54e72ae2e7b, 9u | TP_SITE_EXPLICIT, "task_group::run", 12u}; } }
#endif
#ifndef TP_SITE_b1f7cedd72f4dcc4
#define TP_SITE_b1f7cedd72f4dcc4 12u
namespace tp { namespace sites { template <int I> struct s_b1f7cedd72f4dcc4 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_b1f7cedd72f4dcc4<I>::record = {__FILE__, "main", TP_SITE_b1f7cedd72f4dcc4, 35u | TP_SITE_EXPLICIT, "task_group::run", 12u}; } }
#endif
#ifndef TP_SITE_a66947ef9b20fd13
#define TP_SITE_a66947ef9b20fd13 12u
namespace tp { namespace sites { template <int I> struct s_a66947ef9b20fd13 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_a66947ef9b20fd13<I>::record = {__FILE__, "main", TP_SITE_a66947ef9b20fd13, 56u | TP_SITE_EXPLICIT, "task_group::run_and_wait", 12u}; } }
#endif
#ifndef TP_SITE_57053d052ddae1de
#define TP_SITE_57053d052ddae1de 13u
namespace tp { namespace sites { template <int I> struct s_57053d052ddae1de { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_57053d052ddae1de<I>::record = {__FILE__, "main", TP_SITE_57053d052ddae1de, 16u | TP_SITE_EXPLICIT, "task_group::run", 13u}; } }
#endif
#ifndef TP_SITE_90f0c12b9a00ecc6
#define TP_SITE_90f0c12b9a00ecc6 13u
namespace tp { namespace sites { template <int I> struct s_90f0c12b9a00ecc6 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_90f0c12b9a00ecc6<I>::record = {__FILE__, "main", TP_SITE_90f0c12b9a00ecc6, 36u | TP_SITE_EXPLICIT, "parallel_invoke", 13u}; } }
#endif
#ifndef TP_SITE_ec3089c89f25c5c2
#define TP_SITE_ec3089c89f25c5c2 14u
namespace tp { namespace sites { template <int I> struct s_ec3089c89f25c5c2 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_ec3089c89f25c5c2<I>::record = {__FILE__, "main", TP_SITE_ec3089c89f25c5c2, 22u | TP_SITE_EXPLICIT, "task_group::run", 14u}; } }
#endif
#ifndef TP_SITE_b04cc93c76f549f7
#define TP_SITE_b04cc93c76f549f7 15u
namespace tp { namespace sites { template <int I> struct s_b04cc93c76f549f7 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_b04cc93c76f549f7<I>::record = {__FILE__, "main", TP_SITE_b04cc93c76f549f7, 15u | TP_SITE_EXPLICIT, "task_group::run", 15u}; } }
#endif
#ifndef TP_SITE_3cfce1a39cde979a
#define TP_SITE_3cfce1a39cde979a 16u
namespace tp { namespace sites { template <int I> struct s_3cfce1a39cde979a { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_3cfce1a39cde979a<I>::record = {__FILE__, "main", TP_SITE_3cfce1a39cde979a, 19u | TP_SITE_EXPLICIT, "task_group::run", 16u}; } }
#endif
#ifndef TP_SITE_30327b5b5ec38fa4
#define TP_SITE_30327b5b5ec38fa4 18u
namespace tp { namespace sites { template <int I> struct s_30327b5b5ec38fa4 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_30327b5b5ec38fa4<I>::record = {__FILE__, "main", TP_SITE_30327b5b5ec38fa4, 41u | TP_SITE_EXPLICIT, "parallel_for", 18u}; } }
#endif
#ifndef TP_SITE_ff32d37edb65313f
#define TP_SITE_ff32d37edb65313f 19u
namespace tp { namespace sites { template <int I> struct s_ff32d37edb65313f { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_ff32d37edb65313f<I>::record = {__FILE__, "main", TP_SITE_ff32d37edb65313f, 11u | TP_SITE_EXPLICIT, "task_group::run", 19u}; } }
#endif
#ifndef TP_SITE_c0fd77f0fdad3742
#define TP_SITE_c0fd77f0fdad3742 19u
namespace tp { namespace sites { template <int I> struct s_c0fd77f0fdad3742 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_c0fd77f0fdad3742<I>::record = {__FILE__, "main", TP_SITE_c0fd77f0fdad3742, 43u | TP_SITE_EXPLICIT, "task_group::run", 19u}; } }
#endif
#ifndef TP_SITE_e7f006fbada2454a
#define TP_SITE_e7f006fbada2454a 20u
namespace tp { namespace sites { template <int I> struct s_e7f006fbada2454a { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_e7f006fbada2454a<I>::record = {__FILE__, "main", TP_SITE_e7f006fbada2454a, 10u | TP_SITE_EXPLICIT, "task_group::run", 20u}; } }
#endif
#ifndef TP_SITE_c5d52ee25254b5c5
#define TP_SITE_c5d52ee25254b5c5 21u
namespace tp { namespace sites { template <int I> struct s_c5d52ee25254b5c5 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_c5d52ee25254b5c5<I>::record = {__FILE__, "main", TP_SITE_c5d52ee25254b5c5, 12u | TP_SITE_EXPLICIT, "task_group::run_and_wait", 21u}; } }
#endif
#line 1 "statements.cpp"
// flags: -std=c++17
// Inside every kind of statement.
#include <tbb/tbb.h>
#include <vector>

int spawn(int n) { return (tbb::parallel_for(0, n, [](int) {}
, ::tp::site(::tp::sites::s_f11ee1ecf576c8a0<0>::record)
#line 6
                                                             ), n); }

int main(int argc, char**) {
  tbb::task_group g;
  auto nothing = [] {};
  for (int x : (g.run(nothing
, ::tp::site(::tp::sites::s_18d20783f109776f<0>::record)
#line 11
                             ), std::vector<int>{1, 2})) g.run([x] { (void)x; }
, ::tp::site(::tp::sites::s_9be6fccd06bd5d23<0>::record)
#line 11
                                                                               );
  if (g.run(nothing
, ::tp::site(::tp::sites::s_99d4b54e72ae2e7b<0>::record)
#line 12
                   ); argc > 1) g.run(nothing
, ::tp::site(::tp::sites::s_b1f7cedd72f4dcc4<0>::record)
#line 12
                                             ); else g.run_and_wait(nothing
, ::tp::site(::tp::sites::s_a66947ef9b20fd13<0>::record)
#line 12
                                                                           );
  argc > 1 ? g.run(nothing
, ::tp::site(::tp::sites::s_57053d052ddae1de<0>::record)
#line 13
                          ) : tbb::parallel_invoke(
::tp::site(::tp::sites::s_90f0c12b9a00ecc6<0>::record),
#line 13
                                                   nothing, nothing);
  switch (int n = (g.run(nothing
, ::tp::site(::tp::sites::s_ec3089c89f25c5c2<0>::record)
#line 14
                                ), argc)) {
    case 1: g.run(nothing
, ::tp::site(::tp::sites::s_b04cc93c76f549f7<0>::record)
#line 15
                         ); break;
    default: do g.run(nothing
, ::tp::site(::tp::sites::s_3cfce1a39cde979a<0>::record)
#line 16
                             ); while (--n > 0);
  }
  if constexpr (sizeof(int) > 100) tbb::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_30327b5b5ec38fa4<0>::record)
#line 18
                                                                     );
  try { g.run(nothing
, ::tp::site(::tp::sites::s_ff32d37edb65313f<0>::record)
#line 19
                     ); } catch (...) { g.run(nothing
, ::tp::site(::tp::sites::s_c0fd77f0fdad3742<0>::record)
#line 19
                                                     ); }
label: g.run(nothing
, ::tp::site(::tp::sites::s_e7f006fbada2454a<0>::record)
#line 20
                    );
  return g.run_and_wait(nothing
, ::tp::site(::tp::sites::s_c5d52ee25254b5c5<0>::record)
#line 21
                               ) == tbb::detail::d1::complete ? spawn(0) : 1;
}
