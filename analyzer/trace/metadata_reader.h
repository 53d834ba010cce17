// SPDX-License-Identifier: Apache-2.0
// METADATA READER: run.json, sites.jsonl and end.json of a data directory, parsed and checked.
// Needed before the streams can be read.
#pragma once

#include "model/run_info.h"
#include "trace/trace_source.h"

namespace tp::analysis {

// Throws Error{BadJson, BadField, UnknownSchema, UnknownVersion, ForeignByteOrder, DuplicateId,
// MissingStream}.
TraceInfo read_info(const TraceSource& source);

} // namespace tp::analysis
