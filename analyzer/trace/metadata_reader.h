// SPDX-License-Identifier: Apache-2.0
// METADATA READER: run.json, sites.jsonl and end.json of a data directory, parsed and checked.
// Needed before the streams can be read.
#pragma once

#include "model/run_info.h"
#include "trace/trace_source.h"

#include <cstdint>
#include <string>

namespace tp::analysis {

// Throws Error{BadJson, BadField, UnknownSchema, UnknownVersion, ForeignByteOrder, DuplicateId,
// MissingStream}.
TraceInfo read_info(const TraceSource& source);

// What a recording says about OpenMP, as read_info() has checked it.
struct OpenMpInfo {
  // Of tp-run: "recorded", "unused" (the program is linked with none), "refused" (for that reason) or "off"; empty: not
  // known.
  std::string state, reason;
  std::string runtime; // that was loaded at the end; empty: none
  std::uint64_t unrecorded_threads =
      0; // that a runtime which was not recorded created: OpenMP ran that is missing
};
OpenMpInfo read_openmp(const TraceSource& source);

} // namespace tp::analysis
