// SPDX-License-Identifier: Apache-2.0
// See thread_sites.h. libstdc++ gives pthread_create a function of its own and a pointer to a
// std::thread::_State, an object with virtual functions whose type names the user's function; the
// call is in libstdc++.so then. (Linked statically, it is in the user's module, and the start
// function is all that is known.)
#include "sites/thread_sites.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>

namespace tp::rt {
namespace {

bool is_in_libstdcxx(const void* caller) noexcept {
  Dl_info module{};
  return dladdr(caller, &module) != 0 && module.dli_fname != nullptr &&
         std::strstr(module.dli_fname, "libstdc++.so") != nullptr;
}

// Programs create threads at few places, and dladdr() takes as long as creating a thread: it looks through all symbols.
std::atomic<const void*> last_in_libstdcxx{nullptr}, last_elsewhere{nullptr};

bool is_known_in_libstdcxx(const void* caller) noexcept {
  if (caller == last_in_libstdcxx.load(std::memory_order_relaxed))
    return true;
  if (caller == last_elsewhere.load(std::memory_order_relaxed))
    return false;
  const bool is_in = is_in_libstdcxx(caller);
  (is_in ? last_in_libstdcxx : last_elsewhere).store(caller, std::memory_order_relaxed);
  return is_in;
}

} // namespace

StartFunction start_function(const void* function, const void* argument,
                             const void* caller) noexcept {
  const bool is_standard = argument != nullptr && is_known_in_libstdcxx(caller);
  return {function, is_standard ? *static_cast<const void* const*>(argument) : nullptr, caller};
}

} // namespace tp::rt
