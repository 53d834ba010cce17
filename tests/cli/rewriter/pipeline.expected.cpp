#line 1 "pipeline.cpp"
#include <tp/site.h>
#ifndef TP_SITE_73474246bc16b047
#define TP_SITE_73474246bc16b047 13u
namespace tp { namespace sites { template <int I> struct s_73474246bc16b047 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_73474246bc16b047<I>::record = {__FILE__, "main", TP_SITE_73474246bc16b047, 8u | TP_SITE_EXPLICIT, "parallel_pipeline", 13u}; } }
#endif
#ifndef TP_SITE_d428db315d38d024
#define TP_SITE_d428db315d38d024 14u
namespace tp { namespace sites { template <int I> struct s_d428db315d38d024 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_d428db315d38d024<I>::record = {__FILE__, "main", TP_SITE_d428db315d38d024, 8u | TP_SITE_EXPLICIT, "parallel_pipeline", 14u}; } }
#endif
#ifndef TP_SITE_b11eb1f04c1cf645
#define TP_SITE_b11eb1f04c1cf645 15u
namespace tp { namespace sites { template <int I> struct s_b11eb1f04c1cf645 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_b11eb1f04c1cf645<I>::record = {__FILE__, "main", TP_SITE_b11eb1f04c1cf645, 8u | TP_SITE_EXPLICIT, "parallel_pipeline", 18u}; } }
#endif
#line 1 "pipeline.cpp"
// A pipeline is one site. A call with its filters one by one takes any number of arguments: it stays as it is, the compiler
// knows its place.
#include <tbb/tbb.h>

int main() {
  int left = 3;
  const auto source = tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                                  [&](tbb::flow_control&) { return left--; });
  const auto middle = tbb::make_filter<int, int>(tbb::filter_mode::parallel, [](int i) { return i; });
  const auto sink = tbb::make_filter<int, void>(tbb::filter_mode::serial_out_of_order, [](int) {});
  const tbb::filter<void, void> whole = source & middle & sink;
  tbb::task_group_context context;
  tbb::parallel_pipeline(4, whole
, ::tp::site(::tp::sites::s_73474246bc16b047<0>::record)
#line 13
                                 );
  tbb::parallel_pipeline(4, source & sink, context
, ::tp::site(::tp::sites::s_d428db315d38d024<0>::record)
#line 14
                                                  );
  tbb::parallel_pipeline(
      2, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                     [](tbb::flow_control&) { return 1; }) &
             sink
, ::tp::site(::tp::sites::s_b11eb1f04c1cf645<0>::record)
#line 18
                 );
  tbb::parallel_pipeline(4, source, sink);
  tbb::parallel_pipeline(4, source, middle, sink, context);
}
