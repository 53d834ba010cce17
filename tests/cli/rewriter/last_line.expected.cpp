#line 1 "last_line.cpp"
#include <tp/site.h>
#ifndef TP_SITE_984352d5b9661756
#define TP_SITE_984352d5b9661756 2u
namespace tp { namespace sites { template <int I> struct s_984352d5b9661756 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_984352d5b9661756<I>::record = {__FILE__, "x", TP_SITE_984352d5b9661756, 22u | TP_SITE_EXPLICIT, "parallel_for", 2u}; } }
#endif
#line 1 "last_line.cpp"
#include <tbb/tbb.h>
static int x = (tbb::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_984352d5b9661756<0>::record)
#line 2
                                                  ), 1); int main() { return x - 1; }