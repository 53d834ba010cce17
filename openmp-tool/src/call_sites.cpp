// SPDX-License-Identifier: Apache-2.0
// See call_sites.h.
#include "call_sites.h"

#include "tasks.h"

#include "tp/hooks.h"

namespace tp::omp {
namespace {
[[gnu::tls_model("initial-exec")]] constinit thread_local const void* taskloop = nullptr;
} // namespace

void note_taskloop(const void* caller) {
  taskloop = caller;
}

std::uint32_t site_of_region(const void* caller) {
  return tp_site_at(caller, TP_CONSTRUCT_OMP_PARALLEL);
}

std::uint32_t site_of_task(const void* caller) {
  return taskloop != nullptr ? tp_site_at(taskloop, TP_CONSTRUCT_OMP_TASKLOOP)
                             : tp_site_at(caller, TP_CONSTRUCT_OMP_TASK);
}

std::uint32_t site_of_worksharing(const Team& team, const void* caller, unsigned construct) {
  if (caller == nullptr)
    caller = team.caller;
  return tp_site_at(caller, construct);
}

} // namespace tp::omp
