// METADATA READER: run.json, sites.jsonl and end.json of a data directory, parsed and checked. Comes before the streams,
// which cannot be read without it.
#pragma once

#include "model/run_info.h"
#include "trace/trace_source.h"

namespace tp::analysis {

// Throws Error{BadJson, BadField, UnknownSchema, UnknownVersion, ForeignByteOrder, DuplicateId,
// MissingStream}.
TraceInfo read_info(const TraceSource& source);

} // namespace tp::analysis
