#line 1 "derived_groups.cpp"
#include <tp/site.h>
#ifndef TP_SITE_c61f3321d467690d
#define TP_SITE_c61f3321d467690d 6u
namespace tp { namespace sites { template <int I> struct s_c61f3321d467690d { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_c61f3321d467690d<I>::record = {__FILE__, "Derived::go", TP_SITE_c61f3321d467690d, 15u | TP_SITE_EXPLICIT, "task_group::run", 6u}; } }
#endif
#ifndef TP_SITE_f834d158bf98de32
#define TP_SITE_f834d158bf98de32 6u
namespace tp { namespace sites { template <int I> struct s_f834d158bf98de32 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_f834d158bf98de32<I>::record = {__FILE__, "Derived::go", TP_SITE_f834d158bf98de32, 43u | TP_SITE_EXPLICIT, "task_group::run_and_wait", 6u}; } }
#endif
#ifndef TP_SITE_9de9528a08e1e084
#define TP_SITE_9de9528a08e1e084 11u
namespace tp { namespace sites { template <int I> struct s_9de9528a08e1e084 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_9de9528a08e1e084<I>::record = {__FILE__, "Hidden::finish", TP_SITE_9de9528a08e1e084, 36u | TP_SITE_EXPLICIT, "task_group::run_and_wait", 11u}; } }
#endif
#ifndef TP_SITE_e22ec883d40205cf
#define TP_SITE_e22ec883d40205cf 26u
namespace tp { namespace sites { template <int I> struct s_e22ec883d40205cf { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_e22ec883d40205cf<I>::record = {__FILE__, "main", TP_SITE_e22ec883d40205cf, 26u | TP_SITE_EXPLICIT, "task_group::run", 26u}; } }
#endif
#ifndef TP_SITE_5cc52a8cd3eaa4f8
#define TP_SITE_5cc52a8cd3eaa4f8 28u
namespace tp { namespace sites { template <int I> struct s_5cc52a8cd3eaa4f8 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_5cc52a8cd3eaa4f8<I>::record = {__FILE__, "main", TP_SITE_5cc52a8cd3eaa4f8, 5u | TP_SITE_EXPLICIT, "task_group::run", 28u}; } }
#endif
#ifndef TP_SITE_408a584ed56a11b9
#define TP_SITE_408a584ed56a11b9 31u
namespace tp { namespace sites { template <int I> struct s_408a584ed56a11b9 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_408a584ed56a11b9<I>::record = {__FILE__, "main", TP_SITE_408a584ed56a11b9, 11u | TP_SITE_EXPLICIT, "task_group::run", 31u}; } }
#endif
#ifndef TP_SITE_1c414e4ce5bd2796
#define TP_SITE_1c414e4ce5bd2796 32u
namespace tp { namespace sites { template <int I> struct s_1c414e4ce5bd2796 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_1c414e4ce5bd2796<I>::record = {__FILE__, "main", TP_SITE_1c414e4ce5bd2796, 6u | TP_SITE_EXPLICIT, "task_group::run", 32u}; } }
#endif
#ifndef TP_SITE_5b50362731846656
#define TP_SITE_5b50362731846656 32u
namespace tp { namespace sites { template <int I> struct s_5b50362731846656 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_5b50362731846656<I>::record = {__FILE__, "main", TP_SITE_5b50362731846656, 40u | TP_SITE_EXPLICIT, "task_group::run", 32u}; } }
#endif
#line 1 "derived_groups.cpp"
// -pedantic-errors, task groups as bases: public, private with a using-declaration, and as members.
#include <tbb/tbb.h>

int calls = 0;
struct Derived : tbb::task_group {
  void go() { run([] { ++calls; }
, ::tp::site(::tp::sites::s_c61f3321d467690d<0>::record)
#line 6
                                 ); this->run_and_wait([] { ++calls; }
, ::tp::site(::tp::sites::s_f834d158bf98de32<0>::record)
#line 6
                                                                      ); }
};
class Hidden : tbb::task_group {
public:
  using tbb::task_group::run;
  void finish() { tbb::task_group::run_and_wait([] { ++calls; }
, ::tp::site(::tp::sites::s_9de9528a08e1e084<0>::record)
#line 11
                                                               ); }
};
struct Owner {
  tbb::task_group group;
  tbb::task_group& get() { return group; }
  tbb::task_group* operator->() { return &group; }
};
template <typename Base>
struct Mixin : Base {
  void go() { this->run([] { ++calls; }); }
};

int main() {
  Derived d;
  d.go();
  d.Derived::task_group::run([] { ++calls; }
, ::tp::site(::tp::sites::s_e22ec883d40205cf<0>::record)
#line 26
                                            );
  Hidden h;
  h.run([] { ++calls; }
, ::tp::site(::tp::sites::s_5cc52a8cd3eaa4f8<0>::record)
#line 28
                       );
  h.finish();
  Owner o;
  o.get().run([] { ++calls; }
, ::tp::site(::tp::sites::s_408a584ed56a11b9<0>::record)
#line 31
                             );
  o->run([] { ++calls; }
, ::tp::site(::tp::sites::s_1c414e4ce5bd2796<0>::record)
#line 32
                        ), (&o.group)->run([] { ++calls; }
, ::tp::site(::tp::sites::s_5b50362731846656<0>::record)
#line 32
                                                          );
  Mixin<tbb::task_group>().go();
  return calls == 9 ? 0 : 1;
}
