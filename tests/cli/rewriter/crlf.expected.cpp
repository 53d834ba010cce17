#line 1 "crlf.cpp"
#include <tp/site.h>
#ifndef TP_SITE_fefd314cce8c5152
#define TP_SITE_fefd314cce8c5152 5u
namespace tp { namespace sites { template <int I> struct s_fefd314cce8c5152 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_fefd314cce8c5152<I>::record = {__FILE__, "main", TP_SITE_fefd314cce8c5152, 8u | TP_SITE_EXPLICIT, "parallel_for", 6u}; } }
#endif
#ifndef TP_SITE_5d60da692c83dccd
#define TP_SITE_5d60da692c83dccd 7u
namespace tp { namespace sites { template <int I> struct s_5d60da692c83dccd { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_5d60da692c83dccd<I>::record = {__FILE__, "main", TP_SITE_5d60da692c83dccd, 8u | TP_SITE_EXPLICIT, "parallel_invoke", 8u}; } }
#endif
#line 1 "crlf.cpp"
// A file with CR LF line ends.
#include <tbb/tbb.h>

int main() {
  tbb::parallel_for(0, 3, [](int) {
  }
, ::tp::site(::tp::sites::s_fefd314cce8c5152<0>::record)
#line 6
   );
  tbb::parallel_invoke(
::tp::site(::tp::sites::s_5d60da692c83dccd<0>::record),
#line 7
                       [] {},
                       [] {}); int line = __LINE__;
  return line == 8 ? 0 : 1;
}
