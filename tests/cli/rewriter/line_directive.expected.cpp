#line 1 "line_directive.cpp"
#include <tp/site.h>
#ifndef TP_SITE_9a7310c9616d5fb2
#define TP_SITE_9a7310c9616d5fb2 101u
namespace tp { namespace sites { template <int I> struct s_9a7310c9616d5fb2 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_9a7310c9616d5fb2<I>::record = {"grammar.y", "main", TP_SITE_9a7310c9616d5fb2, 8u | TP_SITE_EXPLICIT, "parallel_for", 101u}; } }
#endif
#ifndef TP_SITE_50ecfc708255e6a5
#define TP_SITE_50ecfc708255e6a5 12u
namespace tp { namespace sites { template <int I> struct s_50ecfc708255e6a5 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_50ecfc708255e6a5<I>::record = {__FILE__, "main", TP_SITE_50ecfc708255e6a5, 8u | TP_SITE_EXPLICIT, "parallel_for", 12u}; } }
#endif
#line 1 "line_directive.cpp"
// A file that a generator wrote: sites are where it says.
#include <tbb/tbb.h>
#line 100 "grammar.y"
int main() {
  tbb::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_9a7310c9616d5fb2<0>::record)
#line 101
                                    );
  int line = __LINE__;
#line 12 "line_directive.cpp"
  tbb::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_50ecfc708255e6a5<0>::record)
#line 12
                                    );
  return line == 102 ? 0 : 1;
}
