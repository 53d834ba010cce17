#line 1 "initializers.cpp"
#include <tp/site.h>
#ifndef TP_SITE_649745b9ed216171
#define TP_SITE_649745b9ed216171 5u
namespace tp { namespace sites { template <int I> struct s_649745b9ed216171 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_649745b9ed216171<I>::record = {__FILE__, "(anonymous namespace)::each", TP_SITE_649745b9ed216171, 24u | TP_SITE_EXPLICIT, "parallel_for", 5u}; } }
#endif
#ifndef TP_SITE_797084680d9320aa
#define TP_SITE_797084680d9320aa 6u
namespace tp { namespace sites { template <int I> struct s_797084680d9320aa { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_797084680d9320aa<I>::record = {__FILE__, "(anonymous namespace)::global", TP_SITE_797084680d9320aa, 20u | TP_SITE_EXPLICIT, "parallel_for", 6u}; } }
#endif
#ifndef TP_SITE_f7d236cccb8ab1c3
#define TP_SITE_f7d236cccb8ab1c3 10u
namespace tp { namespace sites { template <int I> struct s_f7d236cccb8ab1c3 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_f7d236cccb8ab1c3<I>::record = {__FILE__, "Job::size", TP_SITE_f7d236cccb8ab1c3, 20u | TP_SITE_EXPLICIT, "parallel_for", 10u}; } }
#endif
#ifndef TP_SITE_66d50bd8a80bb0eb
#define TP_SITE_66d50bd8a80bb0eb 11u
namespace tp { namespace sites { template <int I> struct s_66d50bd8a80bb0eb { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_66d50bd8a80bb0eb<I>::record = {__FILE__, "Job::more", TP_SITE_66d50bd8a80bb0eb, 19u | TP_SITE_EXPLICIT, "task_group::run", 11u}; } }
#endif
#ifndef TP_SITE_3bd42d4a71af7c08
#define TP_SITE_3bd42d4a71af7c08 13u
namespace tp { namespace sites { template <int I> struct s_3bd42d4a71af7c08 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_3bd42d4a71af7c08<I>::record = {__FILE__, "Job::Job", TP_SITE_3bd42d4a71af7c08, 22u | TP_SITE_EXPLICIT, "parallel_for", 13u}; } }
#endif
#ifndef TP_SITE_724d0e2ce96d58a5
#define TP_SITE_724d0e2ce96d58a5 13u
namespace tp { namespace sites { template <int I> struct s_724d0e2ce96d58a5 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_724d0e2ce96d58a5<I>::record = {__FILE__, "Job::Job", TP_SITE_724d0e2ce96d58a5, 66u | TP_SITE_EXPLICIT, "task_group::run", 13u}; } }
#endif
#ifndef TP_SITE_6852701e02394854
#define TP_SITE_6852701e02394854 15u
namespace tp { namespace sites { template <int I> struct s_6852701e02394854 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_6852701e02394854<I>::record = {__FILE__, "Job::~Job", TP_SITE_6852701e02394854, 18u | TP_SITE_EXPLICIT, "task_group::run", 15u}; } }
#endif
#ifndef TP_SITE_a77cf9c257530279
#define TP_SITE_a77cf9c257530279 16u
namespace tp { namespace sites { template <int I> struct s_a77cf9c257530279 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_a77cf9c257530279<I>::record = {__FILE__, "Job::operator int", TP_SITE_a77cf9c257530279, 34u | TP_SITE_EXPLICIT, "task_group::run", 16u}; } }
#endif
#ifndef TP_SITE_6461be32a51c1b3f
#define TP_SITE_6461be32a51c1b3f 22u
namespace tp { namespace sites { template <int I> struct s_6461be32a51c1b3f { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_6461be32a51c1b3f<I>::record = {__FILE__, "main()::Local::x", TP_SITE_6461be32a51c1b3f, 19u | TP_SITE_EXPLICIT, "parallel_for", 22u}; } }
#endif
#line 1 "initializers.cpp"
// Where there is no statement: member initializers, default arguments, variables, constructors.
#include <tbb/tbb.h>

namespace {
int each(int n = (tbb::parallel_for(0, 2, [](int) {}
, ::tp::site(::tp::sites::s_649745b9ed216171<0>::record)
#line 5
                                                    ), 2)) { return n; }
int global = (tbb::parallel_for(0, each(), [](int) {}
, ::tp::site(::tp::sites::s_797084680d9320aa<0>::record)
#line 6
                                                     ), 1);
}

struct Job {
  int size = (tbb::parallel_for(0, 4, [](int) {}
, ::tp::site(::tp::sites::s_f7d236cccb8ab1c3<0>::record)
#line 10
                                                ), 4);
  int more{(group.run([] {}
, ::tp::site(::tp::sites::s_66d50bd8a80bb0eb<0>::record)
#line 11
                           ), 1)};
  static tbb::task_group group;
  Job() : more((tbb::parallel_for(0, 5, [](int) {}
, ::tp::site(::tp::sites::s_3bd42d4a71af7c08<0>::record)
#line 13
                                                  ), 5)) { group.run([] {}
, ::tp::site(::tp::sites::s_724d0e2ce96d58a5<0>::record)
#line 13
                                                                          ); }
  Job(int) {}
  ~Job() { group.run([] {}
, ::tp::site(::tp::sites::s_6852701e02394854<0>::record)
#line 15
                          ); }
  operator int() { return (group.run([] {}
, ::tp::site(::tp::sites::s_a77cf9c257530279<0>::record)
#line 16
                                          ), 1); }
};
tbb::task_group Job::group;

int main() {
  struct Local {
    int x = (tbb::parallel_for(0, 6, [](int) {}
, ::tp::site(::tp::sites::s_6461be32a51c1b3f<0>::record)
#line 22
                                               ), 6);
  } local;
  return Job() + Job(1) + local.x + global > 0 ? 0 : 1;
}
