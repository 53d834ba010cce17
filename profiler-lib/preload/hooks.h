// SPDX-License-Identifier: Apache-2.0
// The hooks that this library calls, weak: where our libtbb is not loaded, they are null, and each
// function here only calls the next one of its name.
#pragma once

#include "tp/counted_locks.h"
#include "tp/hooks.h"

#pragma weak tp_on_block
#pragma weak tp_on_unblock
#pragma weak tp_on_thread_create
#pragma weak tp_on_thread_created
#pragma weak tp_on_thread_begin
#pragma weak tp_on_thread_joined
#pragma weak tp_on_thread_wait
#pragma weak tp_on_thread_wait_end
#pragma weak tp_on_call
#pragma weak tp_on_call_end
#pragma weak tp_on_slept
#pragma weak tp_threads_are_seen
#pragma weak tp_locks_are_on
#pragma weak tp_on_lock_wait_for
#pragma weak tp_on_lock_wait_end
#pragma weak tp_on_lock_taken
#pragma weak tp_on_lock_try_failed
#pragma weak tp_on_counted_lock_taken
#pragma weak tp_counting_at
#pragma weak tp_on_named_lock_taken
#pragma weak tp_on_lock_given
#pragma weak tp_on_lock_release
#pragma weak tp_on_lock_released
#pragma weak tp_on_lock_renewed
#pragma weak tp_c_locks_are_seen
#pragma weak tp_end_recording
#pragma weak tp_is_recording_here
