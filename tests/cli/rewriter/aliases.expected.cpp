#line 1 "aliases.cpp"
#include <tp/site.h>
#ifndef TP_SITE_286a623c7834d1ab
#define TP_SITE_286a623c7834d1ab 11u
namespace tp { namespace sites { template <int I> struct s_286a623c7834d1ab { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_286a623c7834d1ab<I>::record = {__FILE__, "app::f", TP_SITE_286a623c7834d1ab, 12u | TP_SITE_EXPLICIT, "parallel_for", 11u}; } }
#endif
#ifndef TP_SITE_c1b6e72c48b840b4
#define TP_SITE_c1b6e72c48b840b4 15u
namespace tp { namespace sites { template <int I> struct s_c1b6e72c48b840b4 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_c1b6e72c48b840b4<I>::record = {__FILE__, "main", TP_SITE_c1b6e72c48b840b4, 6u | TP_SITE_EXPLICIT, "parallel_for", 15u}; } }
#endif
#ifndef TP_SITE_24baf60aa53e584d
#define TP_SITE_24baf60aa53e584d 16u
namespace tp { namespace sites { template <int I> struct s_24baf60aa53e584d { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_24baf60aa53e584d<I>::record = {__FILE__, "main", TP_SITE_24baf60aa53e584d, 6u | TP_SITE_EXPLICIT, "parallel_for", 16u}; } }
#endif
#ifndef TP_SITE_a4a710c570b50269
#define TP_SITE_a4a710c570b50269 17u
namespace tp { namespace sites { template <int I> struct s_a4a710c570b50269 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_a4a710c570b50269<I>::record = {__FILE__, "main", TP_SITE_a4a710c570b50269, 14u | TP_SITE_EXPLICIT, "parallel_for", 17u}; } }
#endif
#ifndef TP_SITE_2bf937c32886656d
#define TP_SITE_2bf937c32886656d 18u
namespace tp { namespace sites { template <int I> struct s_2bf937c32886656d { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_2bf937c32886656d<I>::record = {__FILE__, "main", TP_SITE_2bf937c32886656d, 20u | TP_SITE_EXPLICIT, "parallel_for", 18u}; } }
#endif
#ifndef TP_SITE_dbe2b5f4f89f690a
#define TP_SITE_dbe2b5f4f89f690a 20u
namespace tp { namespace sites { template <int I> struct s_dbe2b5f4f89f690a { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_dbe2b5f4f89f690a<I>::record = {__FILE__, "main", TP_SITE_dbe2b5f4f89f690a, 8u | TP_SITE_EXPLICIT, "parallel_for", 20u}; } }
#endif
#ifndef TP_SITE_7d7543d16d67255a
#define TP_SITE_7d7543d16d67255a 22u
namespace tp { namespace sites { template <int I> struct s_7d7543d16d67255a { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_7d7543d16d67255a<I>::record = {__FILE__, "main", TP_SITE_7d7543d16d67255a, 3u | TP_SITE_EXPLICIT, "parallel_invoke", 22u}; } }
#endif
#ifndef TP_SITE_abe77572fe788b6e
#define TP_SITE_abe77572fe788b6e 23u
namespace tp { namespace sites { template <int I> struct s_abe77572fe788b6e { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_abe77572fe788b6e<I>::record = {__FILE__, "main", TP_SITE_abe77572fe788b6e, 11u | TP_SITE_EXPLICIT, "task_group::run", 23u}; } }
#endif
#ifndef TP_SITE_c66ec0a38dc4a00c
#define TP_SITE_c66ec0a38dc4a00c 24u
namespace tp { namespace sites { template <int I> struct s_c66ec0a38dc4a00c { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_c66ec0a38dc4a00c<I>::record = {__FILE__, "main", TP_SITE_c66ec0a38dc4a00c, 12u | TP_SITE_EXPLICIT, "task_group::run", 24u}; } }
#endif
#ifndef TP_SITE_b200eda5325989ae
#define TP_SITE_b200eda5325989ae 25u
namespace tp { namespace sites { template <int I> struct s_b200eda5325989ae { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_b200eda5325989ae<I>::record = {__FILE__, "main", TP_SITE_b200eda5325989ae, 10u | TP_SITE_EXPLICIT, "parallel_for", 25u}; } }
#endif
#ifndef TP_SITE_82a8b2ad516bb140
#define TP_SITE_82a8b2ad516bb140 26u
namespace tp { namespace sites { template <int I> struct s_82a8b2ad516bb140 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_82a8b2ad516bb140<I>::record = {__FILE__, "main", TP_SITE_82a8b2ad516bb140, 8u | TP_SITE_EXPLICIT, "parallel_for", 26u}; } }
#endif
#line 1 "aliases.cpp"
// The same functions under other names.
#include <oneapi/tbb.h>

namespace t = tbb;
namespace again = t;
namespace o = oneapi::tbb;
using Group = tbb::task_group;
typedef Group Groups;
namespace app {
using tbb::parallel_for;
void f() { parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_286a623c7834d1ab<0>::record)
#line 11
                                        ); }
}

int main() {
  t::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_c1b6e72c48b840b4<0>::record)
#line 15
                                  );
  o::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_24baf60aa53e584d<0>::record)
#line 16
                                  );
  ::tbb::v1::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_a4a710c570b50269<0>::record)
#line 17
                                          );
  tbb::detail::d1::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_2bf937c32886656d<0>::record)
#line 18
                                                );
  using namespace oneapi;
  tbb::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_dbe2b5f4f89f690a<0>::record)
#line 20
                                    );
  using tbb::parallel_invoke;
  parallel_invoke(
::tp::site(::tp::sites::s_7d7543d16d67255a<0>::record),
#line 22
                  [] {}, [] {});
  Group().run([] {}
, ::tp::site(::tp::sites::s_abe77572fe788b6e<0>::record)
#line 23
                   );
  Groups().run([] {}
, ::tp::site(::tp::sites::s_c66ec0a38dc4a00c<0>::record)
#line 24
                    );
  again::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_b200eda5325989ae<0>::record)
#line 25
                                      );
  app::parallel_for(tbb::blocked_range<int>(0, 1), [](const tbb::blocked_range<int>&) {}
, ::tp::site(::tp::sites::s_82a8b2ad516bb140<0>::record)
#line 26
                                                                                        );
}
