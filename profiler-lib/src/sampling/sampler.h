// SPDX-License-Identifier: Apache-2.0
// SAMPLER: where the recorded threads of the process are, some 1000 times per second of CPU time. Each
// thread has a perf event (sample_event.h); one thread of the sampler's own empties their rings, also
// during a step that takes minutes, and writes the samples to one file of the recording. It touches no
// stream: which step a sample belongs to is decided by the analyzer, by time.
//
// Called by the session, under its lock. The sampler has a lock of its own, which its thread holds
// except while it sleeps, so that a fork() finds it in a known state. Cold.
#pragma once

#include "sampling/sample_event.h"

#include <cstdint>
#include <string>

namespace tp::rt {

struct SamplingTotals {
  bool asked = false; // for samples, in this session
  bool works = false; // they were taken
  SampleSource source;
  std::uint32_t most = 0; // samples per second that the source can take; 0: as many as wanted
  std::uint64_t samples = 0;
  std::uint64_t lost = 0; // no room in the ring
  std::uint64_t sparse_ns =
      0; // CPU time of the process with fewer samples, since its threads switched often
  std::uint64_t unsampled = 0; // threads whose event could not be opened
  std::uint64_t cpu_ns = 0;    // of the sampler's thread, and of the end of sampling
  // System time of the process meanwhile, without that thread's: no sample is taken in the kernel.
  std::uint64_t system_ns = 0;
  std::string reason;  // why there are none, or none of a part of the run; else empty
  std::string command; // that changes this; may be empty
};

// The calling thread, which runs main(), is sampled from here on, before there is a recording: into memory.
// Called when the library is loaded, for processes that will probably record.
void sample_before_recording(const SamplingPlan& plan, std::uint32_t os_thread);
// From here on threads can be sampled, into a file of that name. Takes no sample itself.
void begin_sampling(const SamplingPlan& plan, std::uint64_t session, const std::string& path);
// The calling thread is recorded in that stream from `time` on.
void sample_thread(std::uint32_t stream, std::uint32_t os_thread, std::uint64_t time);
// The calling thread is not sampled from here on.
void end_sampled_thread(std::uint32_t os_thread);
// Writes what is left, and ends the sampler's thread. Not called by that.
SamplingTotals end_sampling();

// Whether the calling thread is creating the sampler's thread, which is none of the program's.
bool creates_sampler() noexcept;

// Around a fork(): the sampler's thread does nothing in between.
void lock_sampler();
void unlock_sampler();
// In the child, while locked: nothing is sampled until the next begin_sampling().
void forget_sampling();

// What tp-doctor shows: which source works here; else why none does, and the command that changes this.
struct SamplingProbe {
  bool works = false;
  SampleSource source;
  std::uint32_t most = 0; // as in SamplingTotals
  std::string reason, command;
};
SamplingProbe probe_sampling(const SamplingPlan& plan);

} // namespace tp::rt
