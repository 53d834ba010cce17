#line 1 "call_once.cpp"
#include <tp/site.h>
#ifndef TP_SITE_4fe9af6ea505091e
#define TP_SITE_4fe9af6ea505091e 9u
namespace tp { namespace sites { template <int I> struct s_4fe9af6ea505091e { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_4fe9af6ea505091e<I>::record = {__FILE__, "main", TP_SITE_4fe9af6ea505091e, 12u | TP_SITE_EXPLICIT, "parallel_for", 9u}; } }
#endif
#line 1 "call_once.cpp"
// collaborative_call_once takes any number of arguments: the call stays as it is, what it calls does not.
#include <tbb/tbb.h>

int main() {
  tbb::collaborative_once_flag flag;
  int calls = 0;
  for (int turn = 0; turn < 2; ++turn)
    tbb::collaborative_call_once(flag, [&](int n) {
      tbb::parallel_for(0, n, [&](int) { ++calls; }
, ::tp::site(::tp::sites::s_4fe9af6ea505091e<0>::record)
#line 9
                                                   );
    }, 3);
  return calls == 3 ? 0 : 1;
}
