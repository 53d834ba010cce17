// SPDX-License-Identifier: Apache-2.0
// The spawn sites of OpenMP's constructs: numbers for tp_task::words[1], 0 if nothing is recorded.
#pragma once

#include <cstdint>

namespace tp::omp {

struct Team;

// `caller`: the return address that OMPT reports.
std::uint32_t site_of_region(const void* caller);
std::uint32_t site_of_task(const void* caller);
// libomp reports no address to the other threads of a team for some loops: that of the region is taken.
std::uint32_t site_of_worksharing(const Team& team, const void* caller, unsigned construct);
// A taskloop begins at that address, or ends (null): the tasks that this thread creates in between are its.
void note_taskloop(const void* caller);

} // namespace tp::omp
