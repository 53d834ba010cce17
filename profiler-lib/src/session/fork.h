// SPDX-License-Identifier: Apache-2.0
// What a fork() does to the recording. The child has one thread, the parent's memory, and none of
// the parent's file mappings is its own any more: it forgets the parent's recording, and opens one
// of its own when it has an event to record.
#pragma once

namespace tp::rt {

// Registers the handlers (pthread_atfork). Once per process, when the library is loaded.
void handle_forks();

} // namespace tp::rt
