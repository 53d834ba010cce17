// SPDX-License-Identifier: Apache-2.0
// SAMPLE EVENT: the perf event that interrupts one thread, and the ring in which the kernel leaves the
// samples. Opened and closed by the thread itself; drained by the sampler's thread. Cold.
//
// The time of a sample is CLOCK_MONOTONIC_RAW: in most virtual machines the kernel does not say how its
// own clock relates to that of the streams.
#pragma once

#include "tp/trace/samples_format.h"

#include <cstddef>
#include <cstdint>

namespace tp::rt {

// What is to be done: by default, or as asked for.
struct SamplingPlan {
  static constexpr std::uint32_t kDefaultRate = 1000;
  std::uint32_t rate = 0;      // samples per second of CPU time; 0: none
  bool is_asked_for = false;   // then it is said at once how samples are taken, if not by events
  bool may_use_timers = false; // and a signal, where there are no events
  trace::CallGraph call_graph = trace::CallGraph::Dwarf;
  // A multiple of 8. What formats a number for printf takes 3 KiB.
  std::uint32_t stack_bytes = 4096;
};

// What the process takes: decided by the first thread, the same for all others.
struct SampleSource {
  trace::SampleMethod method = trace::SampleMethod::SoftwareClock;
  unsigned precise = 0; // of the hardware event
  bool in_kernel =
      false; // also while the thread is in the kernel: at the instruction that entered it
  std::uint64_t period_ns = 0; // mean CPU time between two samples; 0: not known
};

struct SampleRing {
  void* page = nullptr; // perf_event_mmap_page, followed by the ring
  std::size_t ring_bytes = 0;
  std::uint32_t stack_bytes = 0; // of a sample: fewer than planned where the ring is small
  std::uint16_t periods = 1;     // of the plan, from one sample to the next
  int fd = -1;
};

// Of a sample with a copy of the stack.
trace::SampleMachine sample_machine() noexcept;
std::uint32_t sample_registers() noexcept;

// Mean CPU time between two samples.
std::uint64_t sample_period(const SamplingPlan& plan) noexcept;
// Memory that may be locked is limited per user: the more threads have rings already, the smaller the next one. A program with
// as many threads as CPUs has room for all that comes between two looks at leisure; one with more has less, looked at more often.
std::size_t sample_ring_bytes(const SamplingPlan& plan, std::size_t threads) noexcept;
// Finds what works on this machine, and opens it for the calling thread, the first one. Returns 0 or an errno.
int choose_sample_source(const SamplingPlan& plan, SampleSource& source, SampleRing& ring);
// Opens it for the calling thread, with a ring of at most so many bytes. Returns 0 or an errno.
int open_sample_ring(const SamplingPlan& plan, const SampleSource& source, std::size_t ring_bytes,
                     SampleRing& ring);
void close_sample_ring(SampleRing& ring) noexcept;
// In a fork()ed child: the mapping does not exist there.
void forget_sample_ring(SampleRing& ring) noexcept;
// Another period (of a hardware event: the frequency that the kernel aims at), which is `periods` of the plan's on average.
// While the thread does not run, what is left of the present one is lost.
void set_sample_period(const SampleSource& source, SampleRing& ring, std::uint64_t period_ns,
                       std::uint64_t periods) noexcept;
// How many periods of the plan a sample counts for, in its record.
void set_periods(trace::SampleRecord& head, std::uint64_t periods) noexcept;
std::uint64_t periods_of(const trace::SampleRecord& head) noexcept;
// Asks the kernel, which interrupts the thread for it.
bool runs_now(const SampleRing& ring) noexcept;
// Bytes of samples in the ring.
std::size_t ring_content(const SampleRing& ring) noexcept;

// Moves what is in the ring to `out`, at most `room` bytes, as records of samples_format.h of that
// stream and thread: samples after the first one may share words of their stacks if `may_share`. Returns the
// number of bytes.
struct RingContent {
  std::size_t bytes = 0;
  std::uint64_t samples = 0, lost = 0;
  bool is_empty = true; // false: there was no room for all
};
RingContent drain_ring(const SamplingPlan& plan, const SampleRing& ring, std::uint32_t stream,
                       std::uint32_t os_thread, std::byte* out, std::size_t room,
                       bool may_share) noexcept;
// How many bytes of so many from the stack pointer on are worth a copy: what is above the first call of the initial thread
// are the program's arguments and environment, which may be secret.
std::size_t useful_stack_bytes(std::uint64_t stack_pointer, std::size_t bytes) noexcept;
// What that needs: before any thread or signal handler takes samples.
void find_initial_stack() noexcept;
// The most that one sample takes, with a copy of so much of the stack.
std::size_t most_sample_bytes(std::uint32_t stack_bytes) noexcept;

} // namespace tp::rt
