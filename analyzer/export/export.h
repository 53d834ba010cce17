// SPDX-License-Identifier: Apache-2.0
// The interface of the exports: from a Profile to a file for another tool. One source file per
// format.
//
// Stacks are calling contexts (passes/calling_context.h). Their weights are figures that add up:
// work (to T1), critical work (to Tinf) and tasks. Span and parallelism do not add up, so they
// appear only in labels. A frame is a spawn site; its line is where its tasks are spawned.
#pragma once

#include "model/profile.h"

#include <string>
#include <string_view>
#include <vector>

namespace tp::analysis {

// folded.cpp: one line per context, `frame;frame;frame 123`, for flame graphs; of work, or of
// critical work.
std::string write_folded(const Profile& profile);
std::string write_folded_critical(const Profile& profile);
// speedscope.cpp: speedscope's JSON, with one profile each for work, critical work and tasks.
std::string write_speedscope(const Profile& profile);
// pprof.cpp: profile.proto, compressed, with the sample types tasks, work and critical_work.
std::string write_pprof(const Profile& profile);
// callgrind.cpp: for callgrind_annotate and KCachegrind.
std::string write_callgrind(const Profile& profile);
// dot.cpp: the graph of the sites for Graphviz: which site spawns which.
std::string write_dot(const Profile& profile);
// perfetto.cpp: the timeline of each thread, for ui.perfetto.dev.
std::string write_perfetto(const Profile& profile);

struct ExportFormat {
  std::string_view name;
  std::string (*write)(const Profile&);
};
inline constexpr ExportFormat kExportFormats[] = {{"perfetto", write_perfetto},
                                                  {"speedscope", write_speedscope},
                                                  {"folded", write_folded},
                                                  {"folded-critical", write_folded_critical},
                                                  {"pprof", write_pprof},
                                                  {"callgrind", write_callgrind},
                                                  {"dot", write_dot}};

} // namespace tp::analysis
