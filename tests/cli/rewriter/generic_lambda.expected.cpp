#line 1 "generic_lambda.cpp"
#include <tp/site.h>
#ifndef TP_SITE_25abe12ef98e815b
#define TP_SITE_25abe12ef98e815b 6u
namespace tp { namespace sites { template <int I> struct s_25abe12ef98e815b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_25abe12ef98e815b<I>::record = {__FILE__, "main", TP_SITE_25abe12ef98e815b, 48u | TP_SITE_EXPLICIT, "parallel_for", 6u}; } }
#endif
#ifndef TP_SITE_d473f1d14509a7ba
#define TP_SITE_d473f1d14509a7ba 6u
namespace tp { namespace sites { template <int I> struct s_d473f1d14509a7ba { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_d473f1d14509a7ba<I>::record = {__FILE__, "main", TP_SITE_d473f1d14509a7ba, 10u | TP_SITE_EXPLICIT, "parallel_for", 6u}; } }
#endif
#ifndef TP_SITE_2972186e35e1431e
#define TP_SITE_2972186e35e1431e 10u
namespace tp { namespace sites { template <int I> struct s_2972186e35e1431e { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_2972186e35e1431e<I>::record = {__FILE__, "main", TP_SITE_2972186e35e1431e, 41u | TP_SITE_EXPLICIT, "task_group::run", 10u}; } }
#endif
#line 1 "generic_lambda.cpp"
// Calls in generic lambdas depend on a template parameter, and are still certain when qualified.
#include <tbb/tbb.h>

int main() {
  auto twice = [](auto n) {
    tbb::parallel_for(0, n, [&](auto i) { tbb::parallel_for(0, i, [](auto) {}
, ::tp::site(::tp::sites::s_25abe12ef98e815b<0>::record)
#line 6
                                                                             ); }
, ::tp::site(::tp::sites::s_d473f1d14509a7ba<0>::record)
#line 6
                                                                                 );
  };
  twice(3);
  tbb::task_group group;
  auto spawn = [&group](auto f) { group.run(f
, ::tp::site(::tp::sites::s_2972186e35e1431e<0>::record)
#line 10
                                             ); };
  spawn([] {});
}
