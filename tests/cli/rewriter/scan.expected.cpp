#line 1 "scan.cpp"
#include <tp/site.h>
#ifndef TP_SITE_d42c752de5550f73
#define TP_SITE_d42c752de5550f73 12u
namespace tp { namespace sites { template <int I> struct s_d42c752de5550f73 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_d42c752de5550f73<I>::record = {__FILE__, "total", TP_SITE_d42c752de5550f73, 15u | TP_SITE_EXPLICIT, "parallel_scan", 15u}; } }
#endif
#ifndef TP_SITE_4749366620a14a82
#define TP_SITE_4749366620a14a82 21u
namespace tp { namespace sites { template <int I> struct s_4749366620a14a82 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_4749366620a14a82<I>::record = {__FILE__, "main", TP_SITE_4749366620a14a82, 8u | TP_SITE_EXPLICIT, "parallel_scan", 21u}; } }
#endif
#ifndef TP_SITE_a7666698f051a01d
#define TP_SITE_a7666698f051a01d 22u
namespace tp { namespace sites { template <int I> struct s_a7666698f051a01d { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_a7666698f051a01d<I>::record = {__FILE__, "main", TP_SITE_a7666698f051a01d, 8u | TP_SITE_EXPLICIT, "parallel_scan", 22u}; } }
#endif
#ifndef TP_SITE_4634a09fb1a02374
#define TP_SITE_4634a09fb1a02374 23u
namespace tp { namespace sites { template <int I> struct s_4634a09fb1a02374 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_4634a09fb1a02374<I>::record = {__FILE__, "main", TP_SITE_4634a09fb1a02374, 8u | TP_SITE_EXPLICIT, "parallel_scan", 23u}; } }
#endif
#ifndef TP_SITE_cf0f429f495fe520
#define TP_SITE_cf0f429f495fe520 26u
namespace tp { namespace sites { template <int I> struct s_cf0f429f495fe520 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_cf0f429f495fe520<I>::record = {__FILE__, "main", TP_SITE_cf0f429f495fe520, 18u | TP_SITE_EXPLICIT, "parallel_scan", 26u}; } }
#endif
#ifndef TP_SITE_53df22f5fe7f4bf2
#define TP_SITE_53df22f5fe7f4bf2 27u
namespace tp { namespace sites { template <int I> struct s_53df22f5fe7f4bf2 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_53df22f5fe7f4bf2<I>::record = {__FILE__, "main", TP_SITE_53df22f5fe7f4bf2, 15u | TP_SITE_EXPLICIT, "parallel_scan", 27u}; } }
#endif
#line 1 "scan.cpp"
// parallel_scan in both forms, with each partitioner, and in a template.
#include <tbb/tbb.h>

using Range = tbb::blocked_range<int>;
struct Sum {
  int value = 0;
  template <typename Tag>
  void operator()(const Range& range, Tag) { value += range.end() - range.begin(); }
};
template <typename T>
T total(T n) {
  return tbb::parallel_scan(
      tbb::blocked_range<T>(0, n), T(0),
      [](const tbb::blocked_range<T>& range, T sum, bool) { return sum + range.end(); },
      [](T a, T b) { return a + b; }
, ::tp::site(::tp::sites::s_d42c752de5550f73<0>::record)
#line 15
                                    );
}

int main() {
  const Range range(0, 3);
  Sum body;
  tbb::parallel_scan(range, body
, ::tp::site(::tp::sites::s_4749366620a14a82<0>::record)
#line 21
                                );
  tbb::parallel_scan(range, body, tbb::auto_partitioner()
, ::tp::site(::tp::sites::s_a7666698f051a01d<0>::record)
#line 22
                                                         );
  tbb::parallel_scan(range, body, tbb::simple_partitioner()
, ::tp::site(::tp::sites::s_4634a09fb1a02374<0>::record)
#line 23
                                                           );
  const auto scan = [](const Range& part, int sum, bool is_final) { return is_final ? sum + part.end() : sum; };
  const auto join = [](int a, int b) { return a + b; };
  int sum = tbb::parallel_scan(range, 0, scan, join
, ::tp::site(::tp::sites::s_cf0f429f495fe520<0>::record)
#line 26
                                                   );
  sum += tbb::parallel_scan(range, 0, scan, join, tbb::simple_partitioner()
, ::tp::site(::tp::sites::s_53df22f5fe7f4bf2<0>::record)
#line 27
                                                                           );
  return body.value == 9 && sum + total(4L) == 10 ? 0 : 1;
}
