// Damages traces: bits, bytes, lengths, and (so that the damage gets behind the checksum) resealed
// chunks. For the tests that no input crashes or hangs the analyzer.
#pragma once

#include "trace/trace_source.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tp::test {

// A copy of `source` with some bytes changed, determined by `seed`.
analysis::TraceSource mutate(const analysis::TraceSource& source, std::uint64_t seed);
// A whole data directory as one blob and back, for fuzzers: each part with its length before it.
// Any bytes are accepted; headers are resealed so that records are reached.
analysis::TraceSource from_blob(const std::uint8_t* data, std::size_t size);
// A small data directory with these bytes as run.json, sites.jsonl and end.json, for fuzzers: a line that is `%` stands
// between them, and what is empty is a good one.
analysis::TraceSource with_info(std::string_view texts);
// Reads, analyzes and writes all reports; true if there was no Error.
bool digest(const analysis::TraceSource& source);

} // namespace tp::test
