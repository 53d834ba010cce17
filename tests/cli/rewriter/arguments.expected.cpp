#line 1 "arguments.cpp"
#include <tp/site.h>
#ifndef TP_SITE_f3290bcfc9c2f187
#define TP_SITE_f3290bcfc9c2f187 9u
namespace tp { namespace sites { template <int I> struct s_f3290bcfc9c2f187 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_f3290bcfc9c2f187<I>::record = {__FILE__, "main", TP_SITE_f3290bcfc9c2f187, 8u | TP_SITE_EXPLICIT, "parallel_for", 9u}; } }
#endif
#ifndef TP_SITE_4fea728b27a3f965
#define TP_SITE_4fea728b27a3f965 10u
namespace tp { namespace sites { template <int I> struct s_4fea728b27a3f965 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_4fea728b27a3f965<I>::record = {__FILE__, "main", TP_SITE_4fea728b27a3f965, 8u | TP_SITE_EXPLICIT, "parallel_for", 10u}; } }
#endif
#ifndef TP_SITE_e85fd760d5416bb2
#define TP_SITE_e85fd760d5416bb2 11u
namespace tp { namespace sites { template <int I> struct s_e85fd760d5416bb2 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_e85fd760d5416bb2<I>::record = {__FILE__, "main", TP_SITE_e85fd760d5416bb2, 8u | TP_SITE_EXPLICIT, "parallel_for", 11u}; } }
#endif
#ifndef TP_SITE_c77a39313f9ab71d
#define TP_SITE_c77a39313f9ab71d 13u
namespace tp { namespace sites { template <int I> struct s_c77a39313f9ab71d { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_c77a39313f9ab71d<I>::record = {__FILE__, "main", TP_SITE_c77a39313f9ab71d, 8u | TP_SITE_EXPLICIT, "parallel_sort", 13u}; } }
#endif
#ifndef TP_SITE_24f7daa562694fda
#define TP_SITE_24f7daa562694fda 14u
namespace tp { namespace sites { template <int I> struct s_24f7daa562694fda { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_24f7daa562694fda<I>::record = {__FILE__, "main", TP_SITE_24f7daa562694fda, 9u | TP_SITE_EXPLICIT, "parallel_for", 14u}; } }
#endif
#ifndef TP_SITE_3a945d40bd8a5f87
#define TP_SITE_3a945d40bd8a5f87 15u
namespace tp { namespace sites { template <int I> struct s_3a945d40bd8a5f87 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_3a945d40bd8a5f87<I>::record = {__FILE__, "main", TP_SITE_3a945d40bd8a5f87, 8u | TP_SITE_EXPLICIT, "parallel_invoke", 16u}; } }
#endif
#ifndef TP_SITE_3a4f4e83d3897fa8
#define TP_SITE_3a4f4e83d3897fa8 17u
namespace tp { namespace sites { template <int I> struct s_3a4f4e83d3897fa8 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_3a4f4e83d3897fa8<I>::record = {__FILE__, "main", TP_SITE_3a4f4e83d3897fa8, 8u | TP_SITE_EXPLICIT, "parallel_for", 18u}; } }
#endif
#line 1 "arguments.cpp"
// Explicit template arguments and braces keep their meaning; a leading site would shift template arguments.
#include <tbb/tbb.h>
#include <vector>

void f(int) {}
void g() {}

int main() {
  tbb::parallel_for<int>(0, 3, f
, ::tp::site(::tp::sites::s_f3290bcfc9c2f187<0>::record)
#line 9
                                );
  tbb::parallel_for<tbb::blocked_range<int>, void (*)(tbb::blocked_range<int>)>({0, 3}, [](tbb::blocked_range<int>) {}
, ::tp::site(::tp::sites::s_4fea728b27a3f965<0>::record)
#line 10
                                                                                                                      );
  tbb::parallel_for(tbb::blocked_range<int>{0, 3}, [](tbb::blocked_range<int>) {}, {}
, ::tp::site(::tp::sites::s_e85fd760d5416bb2<0>::record)
#line 11
                                                                                     );
  tbb::parallel_invoke<void (&)(), void (&)()>(g, g);
  tbb::parallel_sort(std::vector<int>{3, 2, 1}
, ::tp::site(::tp::sites::s_c77a39313f9ab71d<0>::record)
#line 13
                                              );
  (tbb::parallel_for)(0, 3, f
, ::tp::site(::tp::sites::s_24f7daa562694fda<0>::record)
#line 14
                             );
  tbb::parallel_invoke /* here */ (
::tp::site(::tp::sites::s_3a945d40bd8a5f87<0>::record),
#line 15
                                    // and there
      g, g);
  tbb::parallel_for(0, 3, f // the last
  
, ::tp::site(::tp::sites::s_3a4f4e83d3897fa8<0>::record)
#line 18
  );
  void (*pointer)(int, int, void (*const&)(int), tbb::detail::d1::simple_partitioner) = nullptr;
  return pointer ? 1 : 0;
}
