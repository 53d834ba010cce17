#line 1 "nested_arguments.cpp"
#include <tp/site.h>
#ifndef TP_SITE_d34f128277ff7264
#define TP_SITE_d34f128277ff7264 8u
namespace tp { namespace sites { template <int I> struct s_d34f128277ff7264 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_d34f128277ff7264<I>::record = {__FILE__, "sum", TP_SITE_d34f128277ff7264, 63u | TP_SITE_EXPLICIT, "parallel_reduce", 8u}; } }
#endif
#ifndef TP_SITE_04ebc9f69ff6221b
#define TP_SITE_04ebc9f69ff6221b 8u
namespace tp { namespace sites { template <int I> struct s_04ebc9f69ff6221b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_04ebc9f69ff6221b<I>::record = {__FILE__, "sum", TP_SITE_04ebc9f69ff6221b, 39u | TP_SITE_EXPLICIT, "parallel_reduce", 8u}; } }
#endif
#ifndef TP_SITE_8924a8afd8fa9775
#define TP_SITE_8924a8afd8fa9775 8u
namespace tp { namespace sites { template <int I> struct s_8924a8afd8fa9775 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_8924a8afd8fa9775<I>::record = {__FILE__, "sum", TP_SITE_8924a8afd8fa9775, 15u | TP_SITE_EXPLICIT, "parallel_reduce", 8u}; } }
#endif
#ifndef TP_SITE_f083a51af85c1f4b
#define TP_SITE_f083a51af85c1f4b 14u
namespace tp { namespace sites { template <int I> struct s_f083a51af85c1f4b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_f083a51af85c1f4b<I>::record = {__FILE__, "main", TP_SITE_f083a51af85c1f4b, 12u | TP_SITE_EXPLICIT, "parallel_invoke", 15u}; } }
#endif
#ifndef TP_SITE_24109d90503270ad
#define TP_SITE_24109d90503270ad 14u
namespace tp { namespace sites { template <int I> struct s_24109d90503270ad { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_24109d90503270ad<I>::record = {__FILE__, "main", TP_SITE_24109d90503270ad, 39u | TP_SITE_EXPLICIT, "parallel_for", 14u}; } }
#endif
#ifndef TP_SITE_7c65aa6dc9d61022
#define TP_SITE_7c65aa6dc9d61022 15u
namespace tp { namespace sites { template <int I> struct s_7c65aa6dc9d61022 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_7c65aa6dc9d61022<I>::record = {__FILE__, "main", TP_SITE_7c65aa6dc9d61022, 67u | TP_SITE_EXPLICIT, "task_group::run", 15u}; } }
#endif
#ifndef TP_SITE_4d19a6c3cab4f6f4
#define TP_SITE_4d19a6c3cab4f6f4 15u
namespace tp { namespace sites { template <int I> struct s_4d19a6c3cab4f6f4 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_4d19a6c3cab4f6f4<I>::record = {__FILE__, "main", TP_SITE_4d19a6c3cab4f6f4, 54u | TP_SITE_EXPLICIT, "task_group::run", 15u}; } }
#endif
#ifndef TP_SITE_91c0f7a50180618b
#define TP_SITE_91c0f7a50180618b 13u
namespace tp { namespace sites { template <int I> struct s_91c0f7a50180618b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_91c0f7a50180618b<I>::record = {__FILE__, "main", TP_SITE_91c0f7a50180618b, 10u | TP_SITE_EXPLICIT, "parallel_for", 16u}; } }
#endif
#ifndef TP_SITE_92a4d63ade334aad
#define TP_SITE_92a4d63ade334aad 12u
namespace tp { namespace sites { template <int I> struct s_92a4d63ade334aad { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_92a4d63ade334aad<I>::record = {__FILE__, "main", TP_SITE_92a4d63ade334aad, 8u | TP_SITE_EXPLICIT, "parallel_for", 17u}; } }
#endif
#line 1 "nested_arguments.cpp"
// Spawns in the arguments of spawns, three deep.
#include <tbb/tbb.h>

int sum(int n) {
  tbb::blocked_range<int> r(0, n);
  auto body = [](const tbb::blocked_range<int>&, int x) { return x; };
  auto join = [](int a, int b) { return a + b; };
  return tbb::parallel_reduce(r, tbb::parallel_reduce(r, tbb::parallel_reduce(r, 0, body, join
, ::tp::site(::tp::sites::s_d34f128277ff7264<0>::record)
#line 8
                                                                                              ), body, join
, ::tp::site(::tp::sites::s_04ebc9f69ff6221b<0>::record)
#line 8
                                                                                                           ), body, join
, ::tp::site(::tp::sites::s_8924a8afd8fa9775<0>::record)
#line 8
                                                                                                                        );
}

int main() {
  tbb::parallel_for(0, sum(2), [](int i) {
    tbb::parallel_for(0, i, [=](int j) {
      tbb::parallel_invoke(
::tp::site(::tp::sites::s_f083a51af85c1f4b<0>::record),
#line 14
                           [=] { tbb::parallel_for(i, j, [](int) {}
, ::tp::site(::tp::sites::s_24109d90503270ad<0>::record)
#line 14
                                                                   ); },
                           [] { tbb::task_group g; g.run([&g] { g.run([] {}
, ::tp::site(::tp::sites::s_7c65aa6dc9d61022<0>::record)
#line 15
                                                                           ); }
, ::tp::site(::tp::sites::s_4d19a6c3cab4f6f4<0>::record)
#line 15
                                                                               ); });
    }
, ::tp::site(::tp::sites::s_91c0f7a50180618b<0>::record)
#line 16
     );
  }
, ::tp::site(::tp::sites::s_92a4d63ade334aad<0>::record)
#line 17
   );
}
