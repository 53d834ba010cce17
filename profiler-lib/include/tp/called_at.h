/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a spawn site to a call whose function takes no tp::site: C++17's parallel algorithms,
 * and wrappers that the user declares to tp-rewrite. In the rewritten source the callee `f`
 * becomes
 *     tp::called_at(site, [](auto&&... a) -> decltype(auto) {
 *       return f(static_cast<decltype(a)&&>(a)...);
 *     })
 * so that the spawns which the call makes on this thread belong to the site. The arguments are
 * evaluated before that. C++14; includes no system header, since a rewritten source may include
 * it before everything else. */
#ifndef TP_CALLED_AT_H
#define TP_CALLED_AT_H

#include "tp/site.h"

#if defined(__cplusplus) && __cplusplus >= 201402L
extern "C" {
__attribute__((weak)) __UINT32_TYPE__ tp_enter_site(const void* site) noexcept;
__attribute__((weak)) void tp_leave_site(__UINT32_TYPE__ previous) noexcept;
}

namespace tp {

template <typename Function>
class callee_at {
public:
  constexpr callee_at(const site& place, Function function) noexcept
      : place_(place), function_(function) {}
  template <typename... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) const {
    const scope here(place_);
    return function_(static_cast<Arguments&&>(arguments)...);
  }

private:
  struct scope {
    explicit scope(const site& place) noexcept
        : entered(tp_enter_site != nullptr), previous(entered ? tp_enter_site(place.record) : 0) {}
    ~scope() {
      if (entered)
        tp_leave_site(previous);
    }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    const bool entered;
    const __UINT32_TYPE__ previous;
  };
  site place_;
  Function function_;
};

template <typename Function>
constexpr callee_at<Function> called_at(const site& place, Function function) noexcept {
  return callee_at<Function>(place, function);
}

} // namespace tp
#endif

#endif
