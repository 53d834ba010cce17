#line 1 "directive.cpp"
#include <tp/site.h>
#ifndef TP_SITE_018891a75b5f70e8
#define TP_SITE_018891a75b5f70e8 6u
namespace tp { namespace sites { template <int I> struct s_018891a75b5f70e8 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_018891a75b5f70e8<I>::record = {__FILE__, "size", TP_SITE_018891a75b5f70e8, 26u | TP_SITE_EXPLICIT, "parallel_reduce", 6u}; } }
#endif
#ifndef TP_SITE_583234515ae6d9aa
#define TP_SITE_583234515ae6d9aa 9u
namespace tp { namespace sites { template <int I> struct s_583234515ae6d9aa { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_583234515ae6d9aa<I>::record = {__FILE__, "main", TP_SITE_583234515ae6d9aa, 8u | TP_SITE_EXPLICIT, "parallel_for", 17u}; } }
#endif
#line 1 "directive.cpp"
// flags: -fopenmp
// Directives inside the argument list, and a call inside a directive.
#include <tbb/tbb.h>

void f(int) {}
int size() { return tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2
, ::tp::site(::tp::sites::s_018891a75b5f70e8<0>::record)
#line 6
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
  
, ::tp::site(::tp::sites::s_583234515ae6d9aa<0>::record)
#line 17
  );
#pragma omp parallel for num_threads(tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2))
  for (int i = 0; i < 3; ++i) f(i);
#ifdef NEVER
  tbb::parallel_for(0, 3, f);
#endif
}
