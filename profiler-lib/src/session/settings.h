// SPDX-License-Identifier: Apache-2.0
// SETTINGS: the environment variables of the runtime (docs/contract.md, Environment). Read once,
// when the library is loaded; for a bad value one line is written to stderr, and the default is
// used. Cold.
#pragma once

#include "sampling/sample_event.h"

#include <cstdint>
#include <string>

namespace tp::rt {

// TP_LOCKS: which locks are recorded. Auto: short and frequent sections as a sample.
enum class Locks : std::uint8_t { Auto, All, Off };
inline constexpr const char* kLocksNames[] = {"auto", "all", "off"};

// Unknown: without tp-run. Unused: the program needs no OpenMP. Refused: it does, and cannot be recorded. Off: as the
// user asked.
enum class OpenMp : std::uint8_t { Unknown, Recorded, Unused, Refused, Off };
inline constexpr const char* kOpenMpNames[] = {"", "recorded", "unused", "refused", "off"};

struct Settings {
  bool disabled = false;     // TP_DISABLE=1
  bool paused = false;       // TP_PAUSED=1: record nothing until tp::resume()
  int verbose = 0;           // TP_VERBOSE=0..2
  int as_if_cores = 0;       // TP_AS_IF_CORES, 0: as many as there are
  bool divide = false;       // TP_DIVIDE=1: call bodies of loops for parts of their ranges
  Locks locks = Locks::Auto; // TP_LOCKS
  SamplingPlan sampling{.rate = SamplingPlan::kDefaultRate}; // TP_SAMPLE, TP_CALL_GRAPH
  std::uint64_t max_size = 0;                                // TP_MAX_SIZE in bytes, 0: no limit
  std::string data = "tp-data";                              // TP_DATA, patterns not yet expanded
  bool data_is_default = true;
  std::string run; // TP_RUN: the tp-run that started this process; empty: none
  // TP_OPENMP: how tp-run has the program's OpenMP recorded.
  OpenMp openmp = OpenMp::Unknown;
  std::string openmp_replaced,
      openmp_runtime;        // Recorded: what that runtime was put in the place of
  std::string openmp_reason; // Refused: why
  std::uint64_t window_begin_ns = 0, window_end_ns = 0; // TP_WINDOW: CLOCK_MONOTONIC; no end: 0
  // TP_WAKE: tp-run measured them; else 0.
  std::uint64_t wake_latency_ns = 0, wake_call_ns = 0, wake_sampled_ns = 0, wake_sparse_ns = 0;
  std::string event = "auto"; // TP_EVENT
};

// Reads all variables; also sets the level of note(). Once per process, before other threads use
// the library.
Settings read_settings();

} // namespace tp::rt
