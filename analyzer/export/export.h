// The door of the exports: a Profile in, a file for another tool out. One file per format.
//
// Stacks are calling contexts (passes/calling_context.h); into them goes only what adds up: work,
// critical work (each adds up to T1 and to Tinf) and tasks. Span and parallelism do not, and stand
// in labels only. A frame is a spawn site; its line is where its tasks are spawned.
#pragma once

#include "model/profile.h"

#include <string>
#include <string_view>
#include <vector>

namespace tp::analysis {

// folded.cpp: one line per context, `frame;frame;frame 123`, for flame graphs. Of work, or of
// critical work.
std::string write_folded(const Profile& profile);
std::string write_folded_critical(const Profile& profile);
// speedscope.cpp: speedscope's JSON, one profile each for work, critical work and tasks.
std::string write_speedscope(const Profile& profile);
// pprof.cpp: profile.proto, compressed, with the sample types tasks, work and critical_work.
std::string write_pprof(const Profile& profile);
// callgrind.cpp: for callgrind_annotate and KCachegrind.
std::string write_callgrind(const Profile& profile);
// dot.cpp: the graph of the sites, as who spawns whom, for Graphviz.
std::string write_dot(const Profile& profile);
// perfetto.cpp: what each thread did when, for ui.perfetto.dev.
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
