// SPDX-License-Identifier: Apache-2.0
#include "preload/next_function.h"

#include "preload/given_mutex.h"

#include <cerrno>

using tp::preload::NextSymbol;

// The section, by the linker.
extern "C" {
[[gnu::visibility("hidden")]] extern NextSymbol __start_tp_next_functions[];
[[gnu::visibility("hidden")]] extern NextSymbol __stop_tp_next_functions[];
}

void tp::preload::prepare_for_threads() noexcept {
  static constinit bool is_done = false;
  if (is_done)
    return;
  is_done = true;
  const int before = errno;
  for (NextSymbol* each = __start_tp_next_functions; each != __stop_tp_next_functions; ++each)
    each->find();
  decide_on_locks();
  errno = before;
}
