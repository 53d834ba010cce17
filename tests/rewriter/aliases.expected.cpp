#line 1 "aliases.cpp"
#include <tp/site.h>
#ifndef TP_SITE_9fb8714bbfce5b20
#define TP_SITE_9fb8714bbfce5b20 9u
namespace tp { namespace sites { template <int I> struct s_9fb8714bbfce5b20 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_9fb8714bbfce5b20<I>::record = {__FILE__, "app::f", TP_SITE_9fb8714bbfce5b20, 12u | TP_SITE_EXPLICIT, "parallel_for", 9u}; } }
#endif
#ifndef TP_SITE_7fab3abec726c436
#define TP_SITE_7fab3abec726c436 13u
namespace tp { namespace sites { template <int I> struct s_7fab3abec726c436 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_7fab3abec726c436<I>::record = {__FILE__, "main", TP_SITE_7fab3abec726c436, 6u | TP_SITE_EXPLICIT, "parallel_for", 13u}; } }
#endif
#ifndef TP_SITE_16e86c22ef011367
#define TP_SITE_16e86c22ef011367 14u
namespace tp { namespace sites { template <int I> struct s_16e86c22ef011367 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_16e86c22ef011367<I>::record = {__FILE__, "main", TP_SITE_16e86c22ef011367, 6u | TP_SITE_EXPLICIT, "parallel_for", 14u}; } }
#endif
#ifndef TP_SITE_aec2302e490b0e43
#define TP_SITE_aec2302e490b0e43 15u
namespace tp { namespace sites { template <int I> struct s_aec2302e490b0e43 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_aec2302e490b0e43<I>::record = {__FILE__, "main", TP_SITE_aec2302e490b0e43, 14u | TP_SITE_EXPLICIT, "parallel_for", 15u}; } }
#endif
#ifndef TP_SITE_c323963a0f20d99b
#define TP_SITE_c323963a0f20d99b 16u
namespace tp { namespace sites { template <int I> struct s_c323963a0f20d99b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_c323963a0f20d99b<I>::record = {__FILE__, "main", TP_SITE_c323963a0f20d99b, 20u | TP_SITE_EXPLICIT, "parallel_for", 16u}; } }
#endif
#ifndef TP_SITE_ba1c18c3660d714d
#define TP_SITE_ba1c18c3660d714d 18u
namespace tp { namespace sites { template <int I> struct s_ba1c18c3660d714d { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_ba1c18c3660d714d<I>::record = {__FILE__, "main", TP_SITE_ba1c18c3660d714d, 8u | TP_SITE_EXPLICIT, "parallel_for", 18u}; } }
#endif
#ifndef TP_SITE_aff88efe067e349c
#define TP_SITE_aff88efe067e349c 20u
namespace tp { namespace sites { template <int I> struct s_aff88efe067e349c { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_aff88efe067e349c<I>::record = {__FILE__, "main", TP_SITE_aff88efe067e349c, 3u | TP_SITE_EXPLICIT, "parallel_invoke", 20u}; } }
#endif
#ifndef TP_SITE_d74ad414ec476d40
#define TP_SITE_d74ad414ec476d40 21u
namespace tp { namespace sites { template <int I> struct s_d74ad414ec476d40 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_d74ad414ec476d40<I>::record = {__FILE__, "main", TP_SITE_d74ad414ec476d40, 11u | TP_SITE_EXPLICIT, "task_group::run", 21u}; } }
#endif
#ifndef TP_SITE_4f9b5933f6541674
#define TP_SITE_4f9b5933f6541674 22u
namespace tp { namespace sites { template <int I> struct s_4f9b5933f6541674 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_4f9b5933f6541674<I>::record = {__FILE__, "main", TP_SITE_4f9b5933f6541674, 8u | TP_SITE_EXPLICIT, "parallel_for", 22u}; } }
#endif
#line 1 "aliases.cpp"
// The same functions under other names.
#include <oneapi/tbb.h>

namespace t = tbb;
namespace o = oneapi::tbb;
using Group = tbb::task_group;
namespace app {
using tbb::parallel_for;
void f() { parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_9fb8714bbfce5b20<0>::record)
#line 9
                                        ); }
}

int main() {
  t::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_7fab3abec726c436<0>::record)
#line 13
                                  );
  o::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_16e86c22ef011367<0>::record)
#line 14
                                  );
  ::tbb::v1::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_aec2302e490b0e43<0>::record)
#line 15
                                          );
  tbb::detail::d1::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_c323963a0f20d99b<0>::record)
#line 16
                                                );
  using namespace oneapi;
  tbb::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_ba1c18c3660d714d<0>::record)
#line 18
                                    );
  using tbb::parallel_invoke;
  parallel_invoke(
::tp::site(::tp::sites::s_aff88efe067e349c<0>::record),
#line 20
                  [] {}, [] {});
  Group().run([] {}
, ::tp::site(::tp::sites::s_d74ad414ec476d40<0>::record)
#line 21
                   );
  app::parallel_for(tbb::blocked_range<int>(0, 1), [](const tbb::blocked_range<int>&) {}
, ::tp::site(::tp::sites::s_4f9b5933f6541674<0>::record)
#line 22
                                                                                        );
}
