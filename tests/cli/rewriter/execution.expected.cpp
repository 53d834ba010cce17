#line 1 "execution.cpp"
#include <tp/called_at.h>
#ifndef TP_SITE_bf781f28298dfc8c
#define TP_SITE_bf781f28298dfc8c 14u
namespace tp { namespace sites { template <int I> struct s_bf781f28298dfc8c { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_bf781f28298dfc8c<I>::record = {__FILE__, "visit", TP_SITE_bf781f28298dfc8c, 8u | TP_SITE_EXPLICIT, "std::for_each", 14u}; } }
#endif
#ifndef TP_SITE_6a91b6a214cecfc8
#define TP_SITE_6a91b6a214cecfc8 22u
namespace tp { namespace sites { template <int I> struct s_6a91b6a214cecfc8 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_6a91b6a214cecfc8<I>::record = {__FILE__, "main", TP_SITE_6a91b6a214cecfc8, 8u | TP_SITE_EXPLICIT, "std::sort", 22u}; } }
#endif
#ifndef TP_SITE_a94b6aeb1332ed6e
#define TP_SITE_a94b6aeb1332ed6e 25u
namespace tp { namespace sites { template <int I> struct s_a94b6aeb1332ed6e { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_a94b6aeb1332ed6e<I>::record = {__FILE__, "main", TP_SITE_a94b6aeb1332ed6e, 24u | TP_SITE_EXPLICIT, "std::transform_reduce", 26u}; } }
#endif
#ifndef TP_SITE_c97d69ceb50d4bf4
#define TP_SITE_c97d69ceb50d4bf4 27u
namespace tp { namespace sites { template <int I> struct s_c97d69ceb50d4bf4 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_c97d69ceb50d4bf4<I>::record = {__FILE__, "main", TP_SITE_c97d69ceb50d4bf4, 12u | TP_SITE_EXPLICIT, "std::any_of", 27u}; } }
#endif
#ifndef TP_SITE_1b44e4054cb73a14
#define TP_SITE_1b44e4054cb73a14 29u
namespace tp { namespace sites { template <int I> struct s_1b44e4054cb73a14 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_1b44e4054cb73a14<I>::record = {__FILE__, "main", TP_SITE_1b44e4054cb73a14, 21u | TP_SITE_EXPLICIT, "std::reduce", 29u}; } }
#endif
#line 1 "execution.cpp"
// flags: -D_GLIBCXX_USE_TBB_PAR_BACKEND=0
// Algorithms with a parallel policy are wrapped, those with another one and others of the name are not.
#include <algorithm>
#include <execution>
#include <numeric>
#include <vector>

namespace other {
template <typename Policy>
int reduce(Policy&&, int n) { return n; }
}
template <typename C>
void visit(C& c) {
  
::tp::called_at(::tp::site(::tp::sites::s_bf781f28298dfc8c<0>::record), [](auto&&... tp_a) -> decltype(auto) { return
#line 14
  std::for_each
(static_cast<decltype(tp_a)&&>(tp_a)...); })
#line 14
               (std::execution::par, c.begin(), c.end(), [](int& i) { ++i; });
  std::sort(std::execution::seq, c.begin(), c.end());
}

int main() {
  using namespace std::execution;
  std::vector<int> v{3, 1, 2};
  visit(v);
  
::tp::called_at(::tp::site(::tp::sites::s_6a91b6a214cecfc8<0>::record), [](auto&&... tp_a) -> decltype(auto) { return
#line 22
  std::sort
(static_cast<decltype(tp_a)&&>(tp_a)...); })
#line 22
           (par, v.begin(), v.end());
  std::sort(v.begin(), v.end());
  const auto policy = par_unseq;
  const int sum = 
::tp::called_at(::tp::site(::tp::sites::s_a94b6aeb1332ed6e<0>::record), [](auto&&... tp_a) -> decltype(auto) { return
#line 25
                  std::transform_reduce
(static_cast<decltype(tp_a)&&>(tp_a)...); })
#line 25
                                       (policy, v.begin(), v.end(), 0, std::plus<>(),
                                        [](int i) { return i; });
  if (
::tp::called_at(::tp::site(::tp::sites::s_c97d69ceb50d4bf4<0>::record), [](auto&&... tp_a) -> decltype(auto) { return
#line 27
      std::any_of
(static_cast<decltype(tp_a)&&>(tp_a)...); })
#line 27
                 (par, v.begin(), v.end(), [](int i) { return i == 7; }))
    return 1;
  return sum + 
::tp::called_at(::tp::site(::tp::sites::s_1b44e4054cb73a14<0>::record), [](auto&&... tp_a) -> decltype(auto) { return
#line 29
               std::reduce
(static_cast<decltype(tp_a)&&>(tp_a)...); })
#line 29
                          (par, v.begin(), v.end()) + other::reduce(par, 2) - 20;
}
