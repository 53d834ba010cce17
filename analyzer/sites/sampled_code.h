// SPDX-License-Identifier: Apache-2.0
// SAMPLED CODE: samples as functions and lines. Each stack is unwound, and each address that it contains
// is named once: by debug information with the calls that are inlined there, else by symbols, else by the
// range of its unwind information, which separates functions without names; never by a symbol nearby.
//
// What is oneTBB's is left out, since the streams say what it does: the calls from the beginning of a
// task to its body, and what its headers put in between. Code of oneTBB's in which a thread was is one
// function of that name, code of the profiler's another one.
#pragma once

#include "model/samples.h"
#include "sites/module_files.h"
#include "sites/site_table.h"

namespace tp::analysis {

// Never fails: what is not known has the name of its module. Samples of the same stacks give the same ids,
// in the order of the file.
// Names of files follow the rules of the map.
SampledCode name_samples(const SampleFile& file, const DebugFiles& where, const PathMap& path_map);

} // namespace tp::analysis
