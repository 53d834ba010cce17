#line 1 "one_of_each.cpp"
#include <tp/site.h>
#ifndef TP_SITE_9d2a31fcf141699f
#define TP_SITE_9d2a31fcf141699f 9u
namespace tp { namespace sites { template <int I> struct s_9d2a31fcf141699f { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_9d2a31fcf141699f<I>::record = {__FILE__, "main", TP_SITE_9d2a31fcf141699f, 8u | TP_SITE_EXPLICIT, "parallel_for", 9u}; } }
#endif
#ifndef TP_SITE_d533d4267350befd
#define TP_SITE_d533d4267350befd 10u
namespace tp { namespace sites { template <int I> struct s_d533d4267350befd { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_d533d4267350befd<I>::record = {__FILE__, "main", TP_SITE_d533d4267350befd, 8u | TP_SITE_EXPLICIT, "parallel_for", 10u}; } }
#endif
#ifndef TP_SITE_55774cc1e78f234a
#define TP_SITE_55774cc1e78f234a 11u
namespace tp { namespace sites { template <int I> struct s_55774cc1e78f234a { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_55774cc1e78f234a<I>::record = {__FILE__, "main", TP_SITE_55774cc1e78f234a, 8u | TP_SITE_EXPLICIT, "parallel_for", 11u}; } }
#endif
#ifndef TP_SITE_67ac438b1bf8b5b7
#define TP_SITE_67ac438b1bf8b5b7 12u
namespace tp { namespace sites { template <int I> struct s_67ac438b1bf8b5b7 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_67ac438b1bf8b5b7<I>::record = {__FILE__, "main", TP_SITE_67ac438b1bf8b5b7, 8u | TP_SITE_EXPLICIT, "parallel_for", 12u}; } }
#endif
#ifndef TP_SITE_d8b53c4d144ad5bf
#define TP_SITE_d8b53c4d144ad5bf 13u
namespace tp { namespace sites { template <int I> struct s_d8b53c4d144ad5bf { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_d8b53c4d144ad5bf<I>::record = {__FILE__, "main", TP_SITE_d8b53c4d144ad5bf, 8u | TP_SITE_EXPLICIT, "parallel_reduce", 13u}; } }
#endif
#ifndef TP_SITE_57cdd1cd6ef4a51b
#define TP_SITE_57cdd1cd6ef4a51b 15u
namespace tp { namespace sites { template <int I> struct s_57cdd1cd6ef4a51b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_57cdd1cd6ef4a51b<I>::record = {__FILE__, "main", TP_SITE_57cdd1cd6ef4a51b, 20u | TP_SITE_EXPLICIT, "parallel_reduce", 15u}; } }
#endif
#ifndef TP_SITE_57829220fbf55f85
#define TP_SITE_57829220fbf55f85 16u
namespace tp { namespace sites { template <int I> struct s_57829220fbf55f85 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_57829220fbf55f85<I>::record = {__FILE__, "main", TP_SITE_57829220fbf55f85, 17u | TP_SITE_EXPLICIT, "parallel_deterministic_reduce", 20u}; } }
#endif
#ifndef TP_SITE_4bc2780d5877417e
#define TP_SITE_4bc2780d5877417e 21u
namespace tp { namespace sites { template <int I> struct s_4bc2780d5877417e { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_4bc2780d5877417e<I>::record = {__FILE__, "main", TP_SITE_4bc2780d5877417e, 8u | TP_SITE_EXPLICIT, "parallel_sort", 21u}; } }
#endif
#ifndef TP_SITE_096fd0d45b71760d
#define TP_SITE_096fd0d45b71760d 22u
namespace tp { namespace sites { template <int I> struct s_096fd0d45b71760d { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_096fd0d45b71760d<I>::record = {__FILE__, "main", TP_SITE_096fd0d45b71760d, 8u | TP_SITE_EXPLICIT, "parallel_sort", 22u}; } }
#endif
#ifndef TP_SITE_d990726bf1215370
#define TP_SITE_d990726bf1215370 23u
namespace tp { namespace sites { template <int I> struct s_d990726bf1215370 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_d990726bf1215370<I>::record = {__FILE__, "main", TP_SITE_d990726bf1215370, 8u | TP_SITE_EXPLICIT, "parallel_invoke", 23u}; } }
#endif
#ifndef TP_SITE_baa32892ff9e6aad
#define TP_SITE_baa32892ff9e6aad 25u
namespace tp { namespace sites { template <int I> struct s_baa32892ff9e6aad { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_baa32892ff9e6aad<I>::record = {__FILE__, "main", TP_SITE_baa32892ff9e6aad, 9u | TP_SITE_EXPLICIT, "task_group::run", 25u}; } }
#endif
#ifndef TP_SITE_53b3864fa5d9c0f6
#define TP_SITE_53b3864fa5d9c0f6 26u
namespace tp { namespace sites { template <int I> struct s_53b3864fa5d9c0f6 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_53b3864fa5d9c0f6<I>::record = {__FILE__, "main", TP_SITE_53b3864fa5d9c0f6, 9u | TP_SITE_EXPLICIT, "task_group::run_and_wait", 26u}; } }
#endif
#line 1 "one_of_each.cpp"
// One call of every construct.
#include <tbb/tbb.h>
#include <vector>

int main() {
  std::vector<int> v{3, 1, 2};
  tbb::blocked_range<int> range(0, 3);
  auto body = [](const tbb::blocked_range<int>&) {};
  tbb::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_9d2a31fcf141699f<0>::record)
#line 9
                                    );
  tbb::parallel_for(0, 3, 2, [](int) {}
, ::tp::site(::tp::sites::s_d533d4267350befd<0>::record)
#line 10
                                       );
  tbb::parallel_for(range, body
, ::tp::site(::tp::sites::s_55774cc1e78f234a<0>::record)
#line 11
                               );
  tbb::parallel_for(range, body, tbb::simple_partitioner()
, ::tp::site(::tp::sites::s_67ac438b1bf8b5b7<0>::record)
#line 12
                                                          );
  tbb::parallel_reduce(range, body
, ::tp::site(::tp::sites::s_d8b53c4d144ad5bf<0>::record)
#line 13
                                  );
  auto sum = [](const tbb::blocked_range<int>&, int x) { return x; };
  int total = tbb::parallel_reduce(range, 0, sum, [](int a, int b) { return a + b; }
, ::tp::site(::tp::sites::s_57cdd1cd6ef4a51b<0>::record)
#line 15
                                                                                    );
  total += tbb::parallel_deterministic_reduce(
      range, 0, sum,
      [](int a, int b) {
        return a + b;
      }
, ::tp::site(::tp::sites::s_57829220fbf55f85<0>::record)
#line 20
       );
  tbb::parallel_sort(v
, ::tp::site(::tp::sites::s_4bc2780d5877417e<0>::record)
#line 21
                      );
  tbb::parallel_sort(v.begin(), v.end()
, ::tp::site(::tp::sites::s_096fd0d45b71760d<0>::record)
#line 22
                                       );
  tbb::parallel_invoke(
::tp::site(::tp::sites::s_d990726bf1215370<0>::record),
#line 23
                       [] {}, [] {});
  tbb::task_group group;
  group.run([] {}
, ::tp::site(::tp::sites::s_baa32892ff9e6aad<0>::record)
#line 25
                 );
  group.run_and_wait([] {}
, ::tp::site(::tp::sites::s_53b3864fa5d9c0f6<0>::record)
#line 26
                          );
  group.wait();
  return total;
}
