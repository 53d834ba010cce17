#line 1 "cxx11.cpp"
#include <tp/site.h>
#ifndef TP_SITE_393206db4dd7225b
#define TP_SITE_393206db4dd7225b 8u
namespace tp { namespace sites { template <int I> struct s_393206db4dd7225b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_393206db4dd7225b<I>::record = {__FILE__, "main", TP_SITE_393206db4dd7225b, 8u | TP_SITE_EXPLICIT, "parallel_for", 8u}; } }
#endif
#ifndef TP_SITE_b6750e109136ca01
#define TP_SITE_b6750e109136ca01 9u
namespace tp { namespace sites { template <int I> struct s_b6750e109136ca01 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_b6750e109136ca01<I>::record = {__FILE__, "main", TP_SITE_b6750e109136ca01, 8u | TP_SITE_EXPLICIT, "parallel_invoke", 9u}; } }
#endif
#line 1 "cxx11.cpp"
// flags: -std=c++11 -pedantic-errors -Wall -Wextra -Wunused-macros -Werror
// What is inserted is C++11 without a warning.
#include <tbb/tbb.h>

static void f(int) {}

int main() {
  tbb::parallel_for(0, 3, f
, ::tp::site(::tp::sites::s_393206db4dd7225b<0>::record)
#line 8
                           );
  tbb::parallel_invoke(
::tp::site(::tp::sites::s_b6750e109136ca01<0>::record),
#line 9
                       [] {}, [] {});
}
