// SPDX-License-Identifier: Apache-2.0
// Parses hand-written traces, `*.trace.txt`, into a TraceBuilder. One record per line, in the order
// of its stream.
//
//   run complete=1 cpus=2 unit=units clock=virtual hz=0 same_as_time=0 step_cost=0 gap_cost_ns=0 virtual_work=175 locks=all
//       sleep_seen=0 waits_seen=0 section_sleep_seen=0 threads_seen=0
//   site 25 a.cpp 25                      id, file, line [, column]; task_group, tagged by tp-c++
//   site 26 a.cpp 26 construct=parallel_for tag=address
//   region 0 sort a.cpp 3                 id, name, file, line
//   lock-place 0 spin_mutex a.cpp 9 name=q    id, kind, file, line
//   stream 0                              what follows belongs to stream 0 (base=TIME)
//     thread role=main prior=0            role: main, external, worker
//     spawn work=80 site=25 ctx=new       site: a number, last; else inherited
//     spawn-wait alone=1 / wait           ctx: new, new-exclusive, new-gathering
//                                         (construct=parallel_scan: of that), own, last, STREAM.ORDINAL
//     begin task=-1                       task: newest, -N (before it), STREAM.ORDINAL
//     hand-over from=0.0 to=new / barrier threads=2   to: new, STREAM.ORDINAL; of the next wait
//     asleep time=7 waited=7              in the step that the next record closes
//     asleep-in time=7 kind=1             of it, in calls of one kind (trace::SleepKind)
//     waited-at work=3 time=7 waited=7    in the step that the next record closes: the end of a long wait
//     asleep-before time=7 waited=7       of it, before the next in-arena or allowed
//     end / task / loop-begin / join / release / cut   work= lead= wall= (default: work)
//     task cancelled=1
//     loop-end n=64 grain=1 joins=1 / portion-end n=8 grain=1 joins=1 / portions-joined /
//     shape rows=4 row_grain=1 cols=10 col_grain=5 / whole (the same) / join runs=1 / join skipped=1 /
//     acquire edge=0.0 alone=1 / release kept=1 /
//     region id=0 work=5 / context-end ctx=last
//     wait-end idle=3 / thread-end cpu=1 / pause / resume / chunk base=TIME
//     stack-out / stack-in stack=0.0 / edge-uses edge=0.0 change=1 / feed
//     lock slot=0 address=64 kind=spin_mutex generation=0 reused=1 / section slot=0 place=0 lead=
//     work= waited= shared=1 contended=1 many=N error= / take (the same) / give slot=0 lead= shared=1 /
//     lock-wait slot=0 place=0 ticks=5 / lock-tries slot=0 place=0 tries=2 work=5
//     lock-untimed slot=0 place=0 sections=2 work=5 error=1
//     lock-call slot=0 ticks=5
//     in-arena arena=1 work=4 asked=1 reserved=1 slots=2 entered=1 like_machine=1 / enqueued arena=1 /
//     allowed threads=4 time=100 work=4 like_machine=1
//   # comment
#pragma once

#include "trace_builder.h"

#include <string>

namespace tp::test {

// main: 10 | spawn A(5) | 3 | spawn B(20) | 1 | wait | 2
inline constexpr char kTwoChildren[] = "site 1 a.cpp 1\n"
                                       "site 2 a.cpp 2\n"
                                       "stream 0\n"
                                       "thread role=main\n"
                                       "spawn work=10 site=1 ctx=new-exclusive\n"
                                       "spawn work=3 site=2 ctx=last\n"
                                       "wait work=1 ctx=last\n"
                                       "task work=20\n"
                                       "task task=-1 work=5\n"
                                       "wait-end\n"
                                       "end work=2\n"
                                       "thread-end\n";

// Throws std::runtime_error with the line number.
TraceBuilder parse_trace_script(const std::string& text);
TraceBuilder load_trace_script(const std::string& path);

} // namespace tp::test
