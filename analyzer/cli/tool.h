// What the command-line tools have in common: how they complain, write files, and end.
#pragma once

#include <functional>
#include <string>

namespace tp::analysis {

inline constexpr int kOk = 0, kClaimFalse = 1, kBad = 2; // exit statuses

// What to do where records are lost.
inline constexpr char kLostHint[] =
    "copy the data directory again, or tp-run PROGRAM records it again";

// One line of error and one of hint on stderr.
void complain(const std::string& what, const std::string& hint);

// Written beside its place and renamed: readers see the old file or the new one. Missing directories
// are made. Throws Error{Unwritable}.
void write_file(const std::string& path, const std::string& text);
// To standard output. Throws Error{Unwritable}.
void write_answer(const std::string& text);
// That standard output took no more: errno tells why.
[[noreturn]] void fail_answer();

// --color=auto|always|never
bool wants_colour(const std::string& when);
// On stderr.
bool wants_progress(bool quiet);

// The exit status of `tool`, or kBad after a complaint when it throws.
int run_tool(const std::function<int()>& tool);

} // namespace tp::analysis
