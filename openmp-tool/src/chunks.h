// SPDX-License-Identifier: Apache-2.0
// What the entry points and the events have in common.
#pragma once

#include <cstdint>

namespace tp::omp {

// The calling thread asks libomp for its next chunk. The one that it had is over, and until the next begins, or until
// `end_search`, nothing belongs to a step.
void begin_search();
// It looks for the first chunk of a loop.
extern constinit thread_local bool searches_first [[gnu::tls_model("initial-exec")]];
void end_first_search();
inline void end_search() {
  if (searches_first) [[unlikely]]
    end_first_search();
}
struct Search {
  Search() { begin_search(); }
  ~Search() { end_search(); }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
};

// Is the calling thread's task in a loop, or sections, of which it does not know yet that no chunk is left?
bool is_in_loop();

// The untied task that runs is about to leave its rest to any thread.
void note_end_of_part();

// A static loop of the calling thread, or sections, has so many iterations in this thread, all chunks together.
void note_iterations(std::uint64_t count);

// An address in libomp, before any of its threads starts.
void note_runtime(const void* address);

} // namespace tp::omp
