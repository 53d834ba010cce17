// SPDX-License-Identifier: Apache-2.0
// What the entry points and the events have in common.
#pragma once

namespace tp::omp {

// The calling thread asks for its next chunk: the one that it had is over, and no step is open until the next.
void note_end_of_chunk();

// An address in libomp, before any of its threads starts.
void note_runtime(const void* address);

} // namespace tp::omp
