// SPDX-License-Identifier: Apache-2.0
// A data directory as readable text, one record per line, for debugging and tests. Checks chunks,
// but not how records fit together.
#pragma once

#include "model/run_info.h"
#include "trace/trace_source.h"

#include <ostream>

namespace tp::analysis {

void dump_trace(const TraceSource& source, const TraceInfo& info, std::ostream& out);

} // namespace tp::analysis
