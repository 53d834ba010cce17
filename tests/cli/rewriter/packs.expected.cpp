#line 1 "packs.cpp"
#include <tp/site.h>
#ifndef TP_SITE_0b1141d787d2e8e3
#define TP_SITE_0b1141d787d2e8e3 8u
namespace tp { namespace sites { template <int I> struct s_0b1141d787d2e8e3 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_0b1141d787d2e8e3<I>::record = {__FILE__, "all", TP_SITE_0b1141d787d2e8e3, 9u | TP_SITE_EXPLICIT, "parallel_for", 8u}; } }
#endif
#ifndef TP_SITE_905eb52e411022c6
#define TP_SITE_905eb52e411022c6 9u
namespace tp { namespace sites { template <int I> struct s_905eb52e411022c6 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_905eb52e411022c6<I>::record = {__FILE__, "all", TP_SITE_905eb52e411022c6, 8u | TP_SITE_EXPLICIT, "parallel_invoke", 9u}; } }
#endif
#ifndef TP_SITE_3d234b3621b561e0
#define TP_SITE_3d234b3621b561e0 13u
namespace tp { namespace sites { template <int I> struct s_3d234b3621b561e0 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_3d234b3621b561e0<I>::record = {__FILE__, "numbered", TP_SITE_3d234b3621b561e0, 23u | TP_SITE_EXPLICIT, "parallel_for", 13u}; } }
#endif
#ifndef TP_SITE_9e4fe864e5090588
#define TP_SITE_9e4fe864e5090588 18u
namespace tp { namespace sites { template <int I> struct s_9e4fe864e5090588 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_9e4fe864e5090588<I>::record = {__FILE__, "size", TP_SITE_9e4fe864e5090588, 10u | TP_SITE_EXPLICIT, "parallel_for", 18u}; } }
#endif
#ifndef TP_SITE_ef6449f8e54b475a
#define TP_SITE_ef6449f8e54b475a 27u
namespace tp { namespace sites { template <int I> struct s_ef6449f8e54b475a { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_ef6449f8e54b475a<I>::record = {__FILE__, "main", TP_SITE_ef6449f8e54b475a, 8u | TP_SITE_EXPLICIT, "parallel_invoke", 27u}; } }
#endif
#ifndef TP_SITE_3ab45ae754348135
#define TP_SITE_3ab45ae754348135 28u
namespace tp { namespace sites { template <int I> struct s_3ab45ae754348135 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_3ab45ae754348135<I>::record = {__FILE__, "main", TP_SITE_3ab45ae754348135, 8u | TP_SITE_EXPLICIT, "parallel_invoke", 28u}; } }
#endif
#line 1 "packs.cpp"
// Folds, packs, constant expressions, and more functors than there are overloads.
#include <tbb/tbb.h>
#include <array>

int calls = 0;
template <typename... Fs>
void all(Fs... fs) {
  (tbb::parallel_for(0, 1, [&](int) { fs(); }
, ::tp::site(::tp::sites::s_0b1141d787d2e8e3<0>::record)
#line 8
                                             ), ...);
  tbb::parallel_invoke(
::tp::site(::tp::sites::s_905eb52e411022c6<0>::record),
#line 9
                       fs..., [] { ++calls; });
}
template <int... Is>
void numbered() {
  int sums[] = {(tbb::parallel_for(0, Is, [](int) { ++calls; }
, ::tp::site(::tp::sites::s_3d234b3621b561e0<0>::record)
#line 13
                                                              ), Is)...};
  calls += sums[0];
}
constexpr int size(bool spawns) {
  if (spawns)
    tbb::parallel_for(0, 1, [](int) { ++calls; }
, ::tp::site(::tp::sites::s_9e4fe864e5090588<0>::record)
#line 18
                                                );
  return 2;
}

int main() {
  auto f = [] { ++calls; };
  all(f, f);
  numbered<1, 2>();
  std::array<int, size(false)> two{};
  tbb::parallel_invoke(
::tp::site(::tp::sites::s_ef6449f8e54b475a<0>::record),
#line 27
                       f, f, f, f, f, f, f, f, f, f, f, f);
  tbb::parallel_invoke(
::tp::site(::tp::sites::s_3ab45ae754348135<0>::record),
#line 28
                       f, [n = size(true)] { calls += n; });
  return calls == 2 + 3 + 3 + 1 + 12 + 1 + 1 + 2 && two.size() == 2 ? 0 : calls;
}
