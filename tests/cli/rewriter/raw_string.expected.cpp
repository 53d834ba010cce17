#line 1 "raw_string.cpp"
#include <tp/site.h>
#ifndef TP_SITE_17bdffc54b3c29e3
#define TP_SITE_17bdffc54b3c29e3 5u
namespace tp { namespace sites { template <int I> struct s_17bdffc54b3c29e3 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_17bdffc54b3c29e3<I>::record = {__FILE__, "main", TP_SITE_17bdffc54b3c29e3, 60u | TP_SITE_EXPLICIT, "parallel_for", 6u}; } }
#endif
#ifndef TP_SITE_7cea4ad29251dd7d
#define TP_SITE_7cea4ad29251dd7d 7u
namespace tp { namespace sites { template <int I> struct s_7cea4ad29251dd7d { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_7cea4ad29251dd7d<I>::record = {__FILE__, "main", TP_SITE_7cea4ad29251dd7d, 8u | TP_SITE_EXPLICIT, "parallel_for", 7u}; } }
#endif
#line 1 "raw_string.cpp"
// Literals that look like the end of the call.
#include <tbb/tbb.h>

int main() {
  const char* s = R"x(tbb::parallel_for(0, 3, f);)x"; tbb::parallel_for(0, 1, [](int) { (void)R"y(
)");)y"; }
, ::tp::site(::tp::sites::s_17bdffc54b3c29e3<0>::record)
#line 6
          );
  tbb::parallel_for(0, 1, [s](int) { (void)")"; (void)')'; /* ) */ (void)s; }
, ::tp::site(::tp::sites::s_7cea4ad29251dd7d<0>::record)
#line 7
                                                                             ) ; // )
}
