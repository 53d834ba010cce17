// SPDX-License-Identifier: Apache-2.0
// See thread_sites.h. libstdc++ gives pthread_create a function of its own and a pointer to a
// std::thread::_State, an object with virtual functions whose type names the user's function; the
// call is in libstdc++.so then. (Linked statically, it is in the user's module, and the start
// function is all that is known.)
#include "sites/thread_sites.h"

#include <cstring>
#include <dlfcn.h>

namespace tp::rt {

StartFunction start_function(const void* function, const void* argument,
                             const void* caller) noexcept {
  Dl_info module{};
  const bool is_standard = argument != nullptr && dladdr(caller, &module) != 0 &&
                           module.dli_fname != nullptr &&
                           std::strstr(module.dli_fname, "libstdc++.so") != nullptr;
  return {function, is_standard ? *static_cast<const void* const*>(argument) : nullptr, caller};
}

} // namespace tp::rt
