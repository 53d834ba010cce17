#line 1 "directive.cpp"
#include <tp/site.h>
#ifndef TP_SITE_5aabb2df973f5c63
#define TP_SITE_5aabb2df973f5c63 7u
namespace tp { namespace sites { template <int I> struct s_5aabb2df973f5c63 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_5aabb2df973f5c63<I>::record = {__FILE__, "size", TP_SITE_5aabb2df973f5c63, 26u | TP_SITE_EXPLICIT, "parallel_reduce", 7u}; } }
#endif
#ifndef TP_SITE_b2d8ce875a8c9c5a
#define TP_SITE_b2d8ce875a8c9c5a 10u
namespace tp { namespace sites { template <int I> struct s_b2d8ce875a8c9c5a { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_b2d8ce875a8c9c5a<I>::record = {__FILE__, "main", TP_SITE_b2d8ce875a8c9c5a, 8u | TP_SITE_EXPLICIT, "parallel_for", 18u}; } }
#endif
#line 1 "directive.cpp"
// flags: -fopenmp
// Directives inside the argument list, and a call inside a directive.
#include <omp.h>
#include <tbb/tbb.h>

void f(int) {}
int size() { return tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2
, ::tp::site(::tp::sites::s_5aabb2df973f5c63<0>::record)
#line 7
                                                                            ); }

int main() {
  tbb::parallel_for(
#ifdef MANY
      0, 1000,
#else
      0, 3,
#endif
      f
#define AFTER
  
, ::tp::site(::tp::sites::s_b2d8ce875a8c9c5a<0>::record)
#line 18
  );
#pragma omp parallel for num_threads(tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2))
  for (int i = 0; i < 3; ++i) f(i);
#ifdef NEVER
  tbb::parallel_for(0, 3, f);
#endif
}
