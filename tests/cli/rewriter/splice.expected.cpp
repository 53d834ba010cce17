#line 1 "splice.cpp"
#include <tp/site.h>
#ifndef TP_SITE_3908995f1598d485
#define TP_SITE_3908995f1598d485 9u
namespace tp { namespace sites { template <int I> struct s_3908995f1598d485 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_3908995f1598d485<I>::record = {__FILE__, "main", TP_SITE_3908995f1598d485, 8u | TP_SITE_EXPLICIT, "parallel_for", 11u}; } }
#endif
#ifndef TP_SITE_783575324ebd4b45
#define TP_SITE_783575324ebd4b45 12u
namespace tp { namespace sites { template <int I> struct s_783575324ebd4b45 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_783575324ebd4b45<I>::record = {__FILE__, "main", TP_SITE_783575324ebd4b45, 8u | TP_SITE_EXPLICIT, "parallel_for", 13u}; } }
#endif
#line 1 "splice.cpp"
// Lines joined by a backslash, around the end of the call.
#include <tbb/tbb.h>

void f(int) {}

int main() {
  tbb::parallel_for(0, 3, f\
);
  tbb::parallel_for(0, 3, \
                    f \
      
, ::tp::site(::tp::sites::s_3908995f1598d485<0>::record)
#line 11
      ); int line = __LINE__;
  tbb::parallel_\
for(0, 3, f
, ::tp::site(::tp::sites::s_783575324ebd4b45<0>::record)
#line 13
           );
  return line == 11 || line == 10 ? 0 : 1;
}
