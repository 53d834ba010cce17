// SPDX-License-Identifier: Apache-2.0
// Damages traces: bits, bytes, lengths, and resealed chunks, whose checksums match so that the
// damage reaches the decoder. For the tests that no input crashes or hangs the analyzer.
#pragma once

#include "trace/trace_source.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tp::test {

// A copy of `source` with some bytes changed, determined by `seed`.
analysis::TraceSource mutate(const analysis::TraceSource& source, std::uint64_t seed);
// Converts a whole data directory to one blob and back, for fuzzers; the length of each part
// precedes it. Any bytes are accepted; headers are resealed so that the records are reached.
analysis::TraceSource from_blob(const std::uint8_t* data, std::size_t size);
// A small data directory with these bytes as run.json, sites.jsonl and end.json, for fuzzers. A
// line `%` separates the three; an empty part is replaced by a valid one.
analysis::TraceSource with_info(std::string_view texts);
// Reads, analyzes and writes all reports; returns false if an Error was thrown.
bool digest(const analysis::TraceSource& source);

} // namespace tp::test
