#line 1 "names.cpp"
#include <tp/site.h>
#ifndef TP_SITE_6559b8dbad3b252d
#define TP_SITE_6559b8dbad3b252d 8u
namespace tp { namespace sites { template <int I> struct s_6559b8dbad3b252d { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_6559b8dbad3b252d<I>::record = {__FILE__, "a::b::(anonymous namespace)::S::f", TP_SITE_6559b8dbad3b252d, 29u | TP_SITE_EXPLICIT, "parallel_for", 8u}; } }
#endif
#ifndef TP_SITE_8f805e2b55a0527e
#define TP_SITE_8f805e2b55a0527e 9u
namespace tp { namespace sites { template <int I> struct s_8f805e2b55a0527e { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_8f805e2b55a0527e<I>::record = {__FILE__, "a::b::(anonymous namespace)::S::operator<<", TP_SITE_8f805e2b55a0527e, 63u | TP_SITE_EXPLICIT, "parallel_for", 9u}; } }
#endif
#ifndef TP_SITE_8316b205a7493988
#define TP_SITE_8316b205a7493988 9u
namespace tp { namespace sites { template <int I> struct s_8316b205a7493988 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_8316b205a7493988<I>::record = {__FILE__, "a::b::(anonymous namespace)::S::operator<<", TP_SITE_8316b205a7493988, 29u | TP_SITE_EXPLICIT, "parallel_for", 9u}; } }
#endif
#ifndef TP_SITE_397030ec26161e77
#define TP_SITE_397030ec26161e77 13u
namespace tp { namespace sites { template <int I> struct s_397030ec26161e77 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_397030ec26161e77<I>::record = {__FILE__, "c()::Local::f", TP_SITE_397030ec26161e77, 34u | TP_SITE_EXPLICIT, "parallel_for", 13u}; } }
#endif
#ifndef TP_SITE_ecb1dafdc87821a3
#define TP_SITE_ecb1dafdc87821a3 17u
namespace tp { namespace sites { template <int I> struct s_ecb1dafdc87821a3 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_ecb1dafdc87821a3<I>::record = {__FILE__, "lambda", TP_SITE_ecb1dafdc87821a3, 25u | TP_SITE_EXPLICIT, "parallel_for", 17u}; } }
#endif
#line 1 "names.cpp"
// The enclosing function as records name it.
#include <tbb/tbb.h>

namespace a { inline namespace b { namespace {
template <typename T>
struct S {
  template <typename U>
  static void f(U u) { tbb::parallel_for(0, 1, u
, ::tp::site(::tp::sites::s_6559b8dbad3b252d<0>::record)
#line 8
                                                ); }
  S& operator<<(int) { tbb::parallel_for(0, 1, [](int) { tbb::parallel_for(0, 1, [](int) {}
, ::tp::site(::tp::sites::s_8f805e2b55a0527e<0>::record)
#line 9
                                                                                           ); }
, ::tp::site(::tp::sites::s_8316b205a7493988<0>::record)
#line 9
                                                                                               ); return *this; }
};
}}}
extern "C" int c(void) {
  struct Local { void f() { tbb::parallel_for(0, 1, [](int) {}
, ::tp::site(::tp::sites::s_397030ec26161e77<0>::record)
#line 13
                                                              ); } };
  Local().f();
  return 0;
}
auto lambda = [] { tbb::parallel_for(0, 1, [](int) {}
, ::tp::site(::tp::sites::s_ecb1dafdc87821a3<0>::record)
#line 17
                                                     ); };

int main() {
  a::S<int>::f([](int) {});
  a::S<int>() << 1;
  lambda();
  return c();
}
