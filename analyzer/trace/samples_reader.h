// SPDX-License-Identifier: Apache-2.0
// The file of samples, checked: every byte may be wrong. What follows damage is left out; the streams,
// which say what work there is, do not depend on it.
#pragma once

#include "model/samples.h"
#include "trace/trace_source.h"

#include <optional>

namespace tp::analysis {

// Empty: the recording has none. The samples refer to the memory of `source`, which outlives them.
// `session`: of run.json. Never throws for what is in the file.
std::optional<SampleFile> read_samples(const TraceSource& source, std::uint64_t session);

} // namespace tp::analysis
