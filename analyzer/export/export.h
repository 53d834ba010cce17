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
// perfetto.cpp: the timeline of each thread, the path of the run, and counters, for
// ui.perfetto.dev.
std::string write_perfetto(const Profile& profile);
#ifdef TP_PAGE
// html.cpp: one self-contained page, as of tp-report (export/page.h).
std::string write_html(const Profile& profile);
// `source`: as in PageInput (page.h).
std::string write_html_with_source(const Profile& profile, const std::string& source);
bool is_html(std::string_view text);
#endif

// Whether a text is an export of ours in this format; of files by other tools: false.
bool is_folded(std::string_view text);
bool is_speedscope(std::string_view text);
bool is_pprof(std::string_view text);
bool is_callgrind(std::string_view text);
bool is_dot(std::string_view text);
bool is_perfetto(std::string_view text);

struct ExportFormat {
  std::string_view name;
  std::string (*write)(const Profile&);
  bool (*is_own)(std::string_view text);
  bool needs_pictures = false; // Profile::pictures
  // Instead of `write`, with excerpts of the source; null: the format has none.
  std::string (*write_with_source)(const Profile&, const std::string& source) = nullptr;
};
inline constexpr ExportFormat kExportFormats[] = {
#ifdef TP_PAGE
    {"html", write_html, is_html, true, write_html_with_source},
#endif
    {"perfetto", write_perfetto, is_perfetto, true},
    {"speedscope", write_speedscope, is_speedscope},
    {"folded", write_folded, is_folded},
    {"folded-critical", write_folded_critical, is_folded},
    {"pprof", write_pprof, is_pprof},
    {"callgrind", write_callgrind, is_callgrind},
    {"dot", write_dot, is_dot}};

} // namespace tp::analysis
