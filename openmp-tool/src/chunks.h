// SPDX-License-Identifier: Apache-2.0
// What the entry points and the events have in common.
#pragma once

#include <cstdint>

namespace tp::omp {

// The calling thread asks for its next chunk: the one that it had is over, and no step is open until the next.
void note_end_of_chunk();

// The untied task that runs is about to leave its rest to any thread.
void note_end_of_part();

// A static loop of the calling thread, or sections, has so many iterations in this thread, all chunks together.
void note_iterations(std::uint64_t count);

// An address in libomp, before any of its threads starts.
void note_runtime(const void* address);

} // namespace tp::omp
