#line 1 "feeder.cpp"
#include <tp/site.h>
#ifndef TP_SITE_ab99c2dfc69b24cc
#define TP_SITE_ab99c2dfc69b24cc 12u
namespace tp { namespace sites { template <int I> struct s_ab99c2dfc69b24cc { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_ab99c2dfc69b24cc<I>::record = {__FILE__, "Body::operator()", TP_SITE_ab99c2dfc69b24cc, 12u | TP_SITE_EXPLICIT, "feeder::add", 12u}; } }
#endif
#ifndef TP_SITE_5063a79ce995c286
#define TP_SITE_5063a79ce995c286 24u
namespace tp { namespace sites { template <int I> struct s_5063a79ce995c286 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_5063a79ce995c286<I>::record = {__FILE__, "seven", TP_SITE_5063a79ce995c286, 42u | TP_SITE_EXPLICIT, "feeder::add", 24u}; } }
#endif
#ifndef TP_SITE_9ffa390b5eec6920
#define TP_SITE_9ffa390b5eec6920 32u
namespace tp { namespace sites { template <int I> struct s_9ffa390b5eec6920 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_9ffa390b5eec6920<I>::record = {__FILE__, "main", TP_SITE_9ffa390b5eec6920, 9u | TP_SITE_EXPLICIT, "feeder::add", 32u}; } }
#endif
#ifndef TP_SITE_f21fa6ec8943c7fa
#define TP_SITE_f21fa6ec8943c7fa 32u
namespace tp { namespace sites { template <int I> struct s_f21fa6ec8943c7fa { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_f21fa6ec8943c7fa<I>::record = {__FILE__, "main", TP_SITE_f21fa6ec8943c7fa, 43u | TP_SITE_EXPLICIT, "feeder::add", 32u}; } }
#endif
#ifndef TP_SITE_df05cced4f6177fc
#define TP_SITE_df05cced4f6177fc 29u
namespace tp { namespace sites { template <int I> struct s_df05cced4f6177fc { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_df05cced4f6177fc<I>::record = {__FILE__, "main", TP_SITE_df05cced4f6177fc, 8u | TP_SITE_EXPLICIT, "parallel_for_each", 33u}; } }
#endif
#ifndef TP_SITE_37a3118d8f6c5863
#define TP_SITE_37a3118d8f6c5863 35u
namespace tp { namespace sites { template <int I> struct s_37a3118d8f6c5863 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_37a3118d8f6c5863<I>::record = {__FILE__, "main", TP_SITE_37a3118d8f6c5863, 8u | TP_SITE_EXPLICIT, "parallel_for_each", 35u}; } }
#endif
#ifndef TP_SITE_e6ad3ea3f0ebb5bc
#define TP_SITE_e6ad3ea3f0ebb5bc 36u
namespace tp { namespace sites { template <int I> struct s_e6ad3ea3f0ebb5bc { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_e6ad3ea3f0ebb5bc<I>::record = {__FILE__, "main", TP_SITE_e6ad3ea3f0ebb5bc, 8u | TP_SITE_EXPLICIT, "parallel_for_each", 36u}; } }
#endif
#line 1 "feeder.cpp"
// Items given to a feeder, by value and by reference; other functions of the name `add` are left alone.
#include <tbb/tbb.h>

int calls = 0;
struct Other {
  void add(int) {}
};
struct Body {
  void operator()(int level, tbb::feeder<int>& more) const {
    ++calls;
    if (level < 2)
      more.add(level + 1
, ::tp::site(::tp::sites::s_ab99c2dfc69b24cc<0>::record)
#line 12
                        );
  }
};
struct Once {
  template <typename Feeder>
  void operator()(int level, Feeder& more) const {
    ++calls;
    if (level == 0)
      more.add(5);
  }
};
using More = tbb::feeder<int>;
void seven(More& f) { const int n = 7; f.add(n
, ::tp::site(::tp::sites::s_5063a79ce995c286<0>::record)
#line 24
                                              ); }

int main() {
  const int items[] = {1, 2};
  Other().add(1);
  tbb::parallel_for_each(items, items + 1, [](int n, tbb::feeder<int>& f) {
    ++calls;
    if (n < 3)
      f.add(n + 1
, ::tp::site(::tp::sites::s_9ffa390b5eec6920<0>::record)
#line 32
                 ), n == 1 ? seven(f) : f.add(9
, ::tp::site(::tp::sites::s_f21fa6ec8943c7fa<0>::record)
#line 32
                                               );
  }
, ::tp::site(::tp::sites::s_df05cced4f6177fc<0>::record)
#line 33
   );
  const int zero = 0;
  tbb::parallel_for_each(&zero, &zero + 1, Once()
, ::tp::site(::tp::sites::s_37a3118d8f6c5863<0>::record)
#line 35
                                                 );
  tbb::parallel_for_each(&zero, &zero + 1, Body()
, ::tp::site(::tp::sites::s_e6ad3ea3f0ebb5bc<0>::record)
#line 36
                                                 );
  return calls == 10 ? 0 : 1;
}
