#line 1 "handles.cpp"
#include <tp/site.h>
#ifndef TP_SITE_0f32ba7fb9be13ba
#define TP_SITE_0f32ba7fb9be13ba 10u
namespace tp { namespace sites { template <int I> struct s_0f32ba7fb9be13ba { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_0f32ba7fb9be13ba<I>::record = {__FILE__, "main", TP_SITE_0f32ba7fb9be13ba, 9u | TP_SITE_EXPLICIT, "task_group::run", 10u}; } }
#endif
#ifndef TP_SITE_2eacf6daee5b4d6b
#define TP_SITE_2eacf6daee5b4d6b 11u
namespace tp { namespace sites { template <int I> struct s_2eacf6daee5b4d6b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_2eacf6daee5b4d6b<I>::record = {__FILE__, "main", TP_SITE_2eacf6daee5b4d6b, 9u | TP_SITE_EXPLICIT, "task_group::run", 11u}; } }
#endif
#ifndef TP_SITE_73be22e0633e7e04
#define TP_SITE_73be22e0633e7e04 12u
namespace tp { namespace sites { template <int I> struct s_73be22e0633e7e04 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_73be22e0633e7e04<I>::record = {__FILE__, "main", TP_SITE_73be22e0633e7e04, 9u | TP_SITE_EXPLICIT, "task_group::run_and_wait", 12u}; } }
#endif
#ifndef TP_SITE_488a9c87e6777910
#define TP_SITE_488a9c87e6777910 14u
namespace tp { namespace sites { template <int I> struct s_488a9c87e6777910 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_488a9c87e6777910<I>::record = {__FILE__, "main", TP_SITE_488a9c87e6777910, 12u | TP_SITE_EXPLICIT, "isolated_task_group::run", 14u}; } }
#endif
#ifndef TP_SITE_ef842659d860e6ad
#define TP_SITE_ef842659d860e6ad 15u
namespace tp { namespace sites { template <int I> struct s_ef842659d860e6ad { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_ef842659d860e6ad<I>::record = {__FILE__, "main", TP_SITE_ef842659d860e6ad, 12u | TP_SITE_EXPLICIT, "isolated_task_group::run", 15u}; } }
#endif
#ifndef TP_SITE_3c32c372647e4106
#define TP_SITE_3c32c372647e4106 16u
namespace tp { namespace sites { template <int I> struct s_3c32c372647e4106 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_3c32c372647e4106<I>::record = {__FILE__, "main", TP_SITE_3c32c372647e4106, 12u | TP_SITE_EXPLICIT, "isolated_task_group::run_and_wait", 16u}; } }
#endif
#line 1 "handles.cpp"
// Handles: a task belongs to the place where it is run, not to that where it is made; and the isolated group has its own run.
#include <tbb/task_group.h>
#include <utility>

int main() {
  int calls = 0;
  const auto call = [&calls] { ++calls; };
  tbb::task_group group;
  tbb::task_handle handle = group.defer(call);
  group.run(std::move(handle)
, ::tp::site(::tp::sites::s_0f32ba7fb9be13ba<0>::record)
#line 10
                             );
  group.run(group.defer(call)
, ::tp::site(::tp::sites::s_2eacf6daee5b4d6b<0>::record)
#line 11
                             );
  group.run_and_wait(group.defer(call)
, ::tp::site(::tp::sites::s_73be22e0633e7e04<0>::record)
#line 12
                                      );
  tbb::isolated_task_group isolated;
  isolated.run(isolated.defer(call)
, ::tp::site(::tp::sites::s_488a9c87e6777910<0>::record)
#line 14
                                   );
  isolated.run(call
, ::tp::site(::tp::sites::s_ef842659d860e6ad<0>::record)
#line 15
                   );
  isolated.run_and_wait(call
, ::tp::site(::tp::sites::s_3c32c372647e4106<0>::record)
#line 16
                            );
  isolated.wait();
  group.wait();
  return calls == 6 ? 0 : 1;
}
