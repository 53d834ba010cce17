// SPDX-License-Identifier: Apache-2.0
// What a fork() does to the recording. The child has one thread, the parent's memory, and none of
// the parent's file mappings is its own any more: it forgets the parent's recording, and opens one
// of its own when it has an event to record.
#pragma once

namespace tp::rt {

// Registers the handlers. Once per process, when the library is loaded.
void handle_forks();

// Is the calling thread between them? Then it has no state, and must not wait for the session's lock.
bool is_forking() noexcept;

} // namespace tp::rt
