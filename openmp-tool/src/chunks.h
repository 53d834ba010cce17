// SPDX-License-Identifier: Apache-2.0
// What the entry points know of loops before OMPT reports it.
#pragma once

namespace tp::omp {

// The calling thread asks for its next chunk: the one that it had is over, and no step is open until the next.
void note_end_of_chunk();

} // namespace tp::omp
