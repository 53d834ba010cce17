#line 1 "coroutine.cpp"
#include <tp/site.h>
#ifndef TP_SITE_604f1cea738cc523
#define TP_SITE_604f1cea738cc523 18u
namespace tp { namespace sites { template <int I> struct s_604f1cea738cc523 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_604f1cea738cc523<I>::record = {__FILE__, "work", TP_SITE_604f1cea738cc523, 8u | TP_SITE_EXPLICIT, "parallel_for", 18u}; } }
#endif
#ifndef TP_SITE_d1727d4b462584d9
#define TP_SITE_d1727d4b462584d9 19u
namespace tp { namespace sites { template <int I> struct s_d1727d4b462584d9 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_d1727d4b462584d9<I>::record = {__FILE__, "work", TP_SITE_d1727d4b462584d9, 18u | TP_SITE_EXPLICIT, "parallel_for", 19u}; } }
#endif
#ifndef TP_SITE_0de12c77a7e14963
#define TP_SITE_0de12c77a7e14963 20u
namespace tp { namespace sites { template <int I> struct s_0de12c77a7e14963 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_0de12c77a7e14963<I>::record = {__FILE__, "work", TP_SITE_0de12c77a7e14963, 17u | TP_SITE_EXPLICIT, "parallel_reduce", 20u}; } }
#endif
#ifndef TP_SITE_207dbb5d7a6458ab
#define TP_SITE_207dbb5d7a6458ab 22u
namespace tp { namespace sites { template <int I> struct s_207dbb5d7a6458ab { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_207dbb5d7a6458ab<I>::record = {__FILE__, "work", TP_SITE_207dbb5d7a6458ab, 15u | TP_SITE_EXPLICIT, "task_group::run", 22u}; } }
#endif
#line 1 "coroutine.cpp"
// flags: -std=c++20
// Coroutines: no lambda or block is put around the call.
#include <coroutine>
#include <tbb/tbb.h>

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    std::suspend_never yield_value(int) { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

Task work(int n) {
  tbb::parallel_for(0, n, [](int) {}
, ::tp::site(::tp::sites::s_604f1cea738cc523<0>::record)
#line 18
                                    );
  co_await (tbb::parallel_for(0, n, [](int) {}
, ::tp::site(::tp::sites::s_d1727d4b462584d9<0>::record)
#line 19
                                              ), std::suspend_never());
  co_yield tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2
, ::tp::site(::tp::sites::s_0de12c77a7e14963<0>::record)
#line 20
                                                                   );
  tbb::task_group g;
  co_return g.run([] {}
, ::tp::site(::tp::sites::s_207dbb5d7a6458ab<0>::record)
#line 22
                       );
}

int main() { work(3); }
