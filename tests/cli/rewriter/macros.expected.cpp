#line 1 "macros.cpp"
#include <tp/site.h>
#ifndef TP_SITE_eda17d282d3927a9
#define TP_SITE_eda17d282d3927a9 13u
namespace tp { namespace sites { template <int I> struct s_eda17d282d3927a9 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_eda17d282d3927a9<I>::record = {__FILE__, "one", TP_SITE_eda17d282d3927a9, 18u | TP_SITE_EXPLICIT, "parallel_for", 13u}; } }
#endif
#ifndef TP_SITE_88608ebd5e972ea1
#define TP_SITE_88608ebd5e972ea1 22u
namespace tp { namespace sites { template <int I> struct s_88608ebd5e972ea1 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_88608ebd5e972ea1<I>::record = {__FILE__, "main", TP_SITE_88608ebd5e972ea1, 8u | TP_SITE_EXPLICIT, "parallel_for", 22u}; } }
#endif
#line 1 "macros.cpp"
// What a macro wrote has no place to insert into: bodies, arguments, names.
#include <cassert>
#include <tbb/tbb.h>

#define EACH(n, f) tbb::parallel_for(0, n, f)
#define TEXT(x) #x
#define SAME(x) x
#define PFOR tbb::parallel_for
#define CLOSE )
#define THREE 3
#define BODY [](int) {}

int one() { tbb::parallel_for(0, 1, [](int) {}
, ::tp::site(::tp::sites::s_eda17d282d3927a9<0>::record)
#line 13
                                              ); return 1; }

int main() {
  EACH(3, [](int) {});
  assert(tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2) == 1);
  const char* text = TEXT(tbb::parallel_for(0, 3, f));
  SAME(tbb::parallel_for(0, 3, [](int) { tbb::parallel_for(0, 1, BODY); }));
  PFOR(0, 3, BODY);
  tbb::parallel_for(0, 3, BODY CLOSE;
  tbb::parallel_for(0, THREE, BODY
, ::tp::site(::tp::sites::s_88608ebd5e972ea1<0>::record)
#line 22
                                  );
  EACH(3, [](int) { one(); });
  return text[0] == 't' ? 0 : 1;
}
