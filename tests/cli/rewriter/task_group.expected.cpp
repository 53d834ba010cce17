#line 1 "task_group.cpp"
#include <tp/site.h>
#ifndef TP_SITE_406a24cec43e31fc
#define TP_SITE_406a24cec43e31fc 5u
namespace tp { namespace sites { template <int I> struct s_406a24cec43e31fc { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_406a24cec43e31fc<I>::record = {__FILE__, "Group::start", TP_SITE_406a24cec43e31fc, 18u | TP_SITE_EXPLICIT, "task_group::run", 5u}; } }
#endif
#ifndef TP_SITE_ae0f45035e291e3f
#define TP_SITE_ae0f45035e291e3f 15u
namespace tp { namespace sites { template <int I> struct s_ae0f45035e291e3f { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_ae0f45035e291e3f<I>::record = {__FILE__, "main", TP_SITE_ae0f45035e291e3f, 9u | TP_SITE_EXPLICIT, "task_group::run", 15u}; } }
#endif
#ifndef TP_SITE_a7445d49dd97b483
#define TP_SITE_a7445d49dd97b483 16u
namespace tp { namespace sites { template <int I> struct s_a7445d49dd97b483 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_a7445d49dd97b483<I>::record = {__FILE__, "main", TP_SITE_a7445d49dd97b483, 13u | TP_SITE_EXPLICIT, "task_group::run_and_wait", 16u}; } }
#endif
#ifndef TP_SITE_6fcfa556ca3294e7
#define TP_SITE_6fcfa556ca3294e7 18u
namespace tp { namespace sites { template <int I> struct s_6fcfa556ca3294e7 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_6fcfa556ca3294e7<I>::record = {__FILE__, "main", TP_SITE_6fcfa556ca3294e7, 8u | TP_SITE_EXPLICIT, "task_group::run", 18u}; } }
#endif
#ifndef TP_SITE_2ad6eb581daad28b
#define TP_SITE_2ad6eb581daad28b 21u
namespace tp { namespace sites { template <int I> struct s_2ad6eb581daad28b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_2ad6eb581daad28b<I>::record = {__FILE__, "main", TP_SITE_2ad6eb581daad28b, 26u | TP_SITE_EXPLICIT, "task_group::run", 21u}; } }
#endif
#ifndef TP_SITE_b98d8381ce17c0de
#define TP_SITE_b98d8381ce17c0de 23u
namespace tp { namespace sites { template <int I> struct s_b98d8381ce17c0de { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_b98d8381ce17c0de<I>::record = {__FILE__, "main", TP_SITE_b98d8381ce17c0de, 12u | TP_SITE_EXPLICIT, "isolated_task_group::run", 23u}; } }
#endif
#ifndef TP_SITE_a23ae3b2b185eafb
#define TP_SITE_a23ae3b2b185eafb 24u
namespace tp { namespace sites { template <int I> struct s_a23ae3b2b185eafb { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_a23ae3b2b185eafb<I>::record = {__FILE__, "main", TP_SITE_a23ae3b2b185eafb, 12u | TP_SITE_EXPLICIT, "isolated_task_group::run_and_wait", 24u}; } }
#endif
#line 1 "task_group.cpp"
// A derived group counts, one with its own run does not; the isolated group has its own run, which counts.
#include <tbb/task_group.h>

struct Group : tbb::task_group {
  void start() { run([] {}
, ::tp::site(::tp::sites::s_406a24cec43e31fc<0>::record)
#line 5
                          ); }
};
struct Other : tbb::task_group {
  template <typename F>
  void run(F f) { f(); }
};

int main() {
  Group group;
  group.start();
  group.run([] {}
, ::tp::site(::tp::sites::s_ae0f45035e291e3f<0>::record)
#line 15
                 );
  (&group)->run_and_wait([] {}
, ::tp::site(::tp::sites::s_a7445d49dd97b483<0>::record)
#line 16
                              );
  static_cast<tbb::task_group&>(group)
      .run([] {}
, ::tp::site(::tp::sites::s_6fcfa556ca3294e7<0>::record)
#line 18
                );
  Other other;
  other.run([] {});
  other.tbb::task_group::run([] {}
, ::tp::site(::tp::sites::s_2ad6eb581daad28b<0>::record)
#line 21
                                  );
  tbb::isolated_task_group isolated;
  isolated.run([] {}
, ::tp::site(::tp::sites::s_b98d8381ce17c0de<0>::record)
#line 23
                    );
  isolated.run_and_wait([] {}
, ::tp::site(::tp::sites::s_a23ae3b2b185eafb<0>::record)
#line 24
                             );
}
