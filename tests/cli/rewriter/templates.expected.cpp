#line 1 "templates.cpp"
#include <tp/site.h>
#ifndef TP_SITE_f33e981251dff814
#define TP_SITE_f33e981251dff814 9u
namespace tp { namespace sites { template <int I> struct s_f33e981251dff814 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_f33e981251dff814<I>::record = {__FILE__, "all", TP_SITE_f33e981251dff814, 8u | TP_SITE_EXPLICIT, "parallel_for", 9u}; } }
#endif
#ifndef TP_SITE_d2aa19f67a04b279
#define TP_SITE_d2aa19f67a04b279 11u
namespace tp { namespace sites { template <int I> struct s_d2aa19f67a04b279 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_d2aa19f67a04b279<I>::record = {__FILE__, "all", TP_SITE_d2aa19f67a04b279, 4u | TP_SITE_EXPLICIT, "parallel_for", 11u}; } }
#endif
#ifndef TP_SITE_d844b03d072f1d9a
#define TP_SITE_d844b03d072f1d9a 17u
namespace tp { namespace sites { template <int I> struct s_d844b03d072f1d9a { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_d844b03d072f1d9a<I>::record = {__FILE__, "member", TP_SITE_d844b03d072f1d9a, 9u | TP_SITE_EXPLICIT, "task_group::run", 17u}; } }
#endif
#ifndef TP_SITE_6d455b821e0c6eb9
#define TP_SITE_6d455b821e0c6eb9 18u
namespace tp { namespace sites { template <int I> struct s_6d455b821e0c6eb9 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_6d455b821e0c6eb9<I>::record = {__FILE__, "member", TP_SITE_6d455b821e0c6eb9, 9u | TP_SITE_EXPLICIT, "task_group::run_and_wait", 18u}; } }
#endif
#ifndef TP_SITE_ce25018d61029f02
#define TP_SITE_ce25018d61029f02 23u
namespace tp { namespace sites { template <int I> struct s_ce25018d61029f02 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_ce25018d61029f02<I>::record = {__FILE__, "pack", TP_SITE_ce25018d61029f02, 8u | TP_SITE_EXPLICIT, "parallel_for", 23u}; } }
#endif
#ifndef TP_SITE_53958fcce72eed50
#define TP_SITE_53958fcce72eed50 24u
namespace tp { namespace sites { template <int I> struct s_53958fcce72eed50 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_53958fcce72eed50<I>::record = {__FILE__, "pack", TP_SITE_53958fcce72eed50, 8u | TP_SITE_EXPLICIT, "parallel_invoke", 24u}; } }
#endif
#ifndef TP_SITE_0551d6a5d57c2ccc
#define TP_SITE_0551d6a5d57c2ccc 30u
namespace tp { namespace sites { template <int I> struct s_0551d6a5d57c2ccc { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_0551d6a5d57c2ccc<I>::record = {__FILE__, "Owner::start", TP_SITE_0551d6a5d57c2ccc, 27u | TP_SITE_EXPLICIT, "task_group::run", 30u}; } }
#endif
#line 1 "templates.cpp"
// In templates: tagged if the candidates are certainly oneTBB's, else left to the header.
#include <tbb/tbb.h>
#include <utility>

using tbb::parallel_for;

template <typename Range, typename Body>
void all(const Range& range, const Body& body) {
  tbb::parallel_for(range, body
, ::tp::site(::tp::sites::s_f33e981251dff814<0>::record)
#line 9
                               );
  parallel_for(range, body);
  (parallel_for)(range, body
, ::tp::site(::tp::sites::s_d2aa19f67a04b279<0>::record)
#line 11
                            );
}

template <typename Group>
void member(Group& group, tbb::task_group& known) {
  group.run([] {});
  known.run([] {}
, ::tp::site(::tp::sites::s_d844b03d072f1d9a<0>::record)
#line 17
                 );
  known.run_and_wait(group
, ::tp::site(::tp::sites::s_6d455b821e0c6eb9<0>::record)
#line 18
                          );
}

template <typename... Args>
void pack(Args&&... args) {
  tbb::parallel_for(std::forward<Args>(args)...
, ::tp::site(::tp::sites::s_ce25018d61029f02<0>::record)
#line 23
                                               );
  tbb::parallel_invoke(
::tp::site(::tp::sites::s_53958fcce72eed50<0>::record),
#line 24
                       args.begin()...);
}

template <typename T>
struct Owner {
  tbb::task_group group;
  void start(T f) { group.run(f
, ::tp::site(::tp::sites::s_0551d6a5d57c2ccc<0>::record)
#line 30
                               ); }
  struct Inner : tbb::task_group {
    void start(T f) { this->run(f); }
  };
};

template <typename T>
void not_dependent() {
  tbb::task_group group;
  parallel_for(0, 3, sizeof(T) > 1 ? +[](int) {} : +[](int) {});
}

int main() {
  all(tbb::blocked_range<int>(0, 1), [](const tbb::blocked_range<int>&) {});
  not_dependent<int>();
  Owner<void (*)()>().start([] {});
}
