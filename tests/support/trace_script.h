// Hand-written traces: `*.trace.txt` to a TraceBuilder. One record per line, in the order of its
// stream.
//
//   run complete=1 cpus=2 unit=units clock=virtual hz=0 same_as_time=0 virtual_work=175
//   site 25 a.cpp 25                      id, file, line [, column]
//   region 0 sort a.cpp 3                 id, name, file, line
//   stream 0                              what follows belongs to stream 0 (base=TIME)
//     thread role=main prior=0            role: main, external, worker
//     spawn work=80 site=25 ctx=new       site: a number, last; else inherited
//     spawn-wait / wait                   ctx: new, new-exclusive, own, last, STREAM.ORDINAL
//     begin task=-1                       task: newest, -N (before it), STREAM.ORDINAL
//     end / task / loop-begin / join / release / cut   work= lead= wall= (wall: the work, unless given)
//     loop-end n=64 grain=1 / acquire edge=0.0 alone=1 / release kept=1 / region id=0 work=5 / context-end ctx=last
//     wait-end idle=3 / thread-end cpu=1 / pause / resume / chunk base=TIME
//   # comment
#pragma once

#include "trace_builder.h"

#include <string>

namespace tp::test {

// Throws std::runtime_error with the line number.
TraceBuilder parse_trace_script(const std::string& text);
TraceBuilder load_trace_script(const std::string& path);

} // namespace tp::test
