// SPDX-License-Identifier: Apache-2.0
// CONTROL: pauses and windows of the recording, by this process and by tp-run (values/control_page.h).
// Cold.
#pragma once

namespace tp::rt {

struct Session;

// When the library was loaded: is recording paused at first?
void choose_first_pause(Session& s) noexcept;
// A recording starts now, or not: false if tp-run's window is over. Under the session's lock.
bool begin_windows(Session& s) noexcept;
// Makes the file `control` of the data directory and maps it in the place of the page. If that
// fails, only this process can pause. Under the session's lock.
void publish_control(Session& s);
// What tp-run may have missed because the file did not exist yet. False: tp-run's window is over.
bool follow_times(const Session& s) noexcept;
// In a fork()ed child: the file is the parent's.
void leave_control() noexcept;

// Nothing has been left out so far. By any thread.
bool recorded_throughout() noexcept;
// tp::pause() and tp::resume(). False: that was so already. By any thread.
bool pause_recording(bool pause) noexcept;

} // namespace tp::rt
