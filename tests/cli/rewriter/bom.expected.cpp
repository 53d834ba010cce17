#line 1 "bom.cpp"
#include <tp/site.h>
#ifndef TP_SITE_61f694f5d901bb9b
#define TP_SITE_61f694f5d901bb9b 3u
namespace tp { namespace sites { template <int I> struct s_61f694f5d901bb9b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_61f694f5d901bb9b<I>::record = {__FILE__, "main", TP_SITE_61f694f5d901bb9b, 8u | TP_SITE_EXPLICIT, "parallel_for", 3u}; } }
#endif
#line 1 "bom.cpp"
#include <tbb/tbb.h>  // a byte order mark before this
int main() {
  tbb::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_61f694f5d901bb9b<0>::record)
#line 3
                                    );
}
