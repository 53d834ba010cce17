// SPDX-License-Identifier: Apache-2.0
// What the analyzer knows about oneTBB's constructs: their names, the types of their tasks, and
// which of them depend on the schedule. Used by task_type and schedule_dependence.
// tests/unit/runtime/constructs_test.cpp compares it with the table of tp/hooks.h and with the tags
// of tp-c++.
#pragma once

#include "tp/trace/trace_format.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace tp::analysis {

constexpr std::string_view name_of(trace::Construct construct) {
  return trace::kConstructNames[static_cast<std::size_t>(construct)];
}
// A variant that has the contexts of parallel_reduce, and a name of its own.
inline constexpr std::string_view kDeterministicReduce = "parallel_deterministic_reduce";
// Its task has a context like that of a task_group. oneTBB's function that creates the task is among
// the components of the task's type.
inline constexpr std::string_view kCallOnce = "collaborative_call_once";
inline constexpr std::string_view kCallOnceTask =
    "::collaborative_once_flag::do_collaborative_call_once<";

// A template of namespace tbb::detail, the position of the body among its arguments, and the
// construct; empty: that of the task's context.
struct TaskTemplate {
  std::string_view name;
  std::size_t body;
  std::string_view construct;
};

inline constexpr TaskTemplate kTaskTemplates[] = {
    {"d1::start_for", 1, name_of(trace::Construct::ParallelFor)},
    {"d1::start_reduce", 1, name_of(trace::Construct::ParallelReduce)},
    {"d1::start_deterministic_reduce", 1, kDeterministicReduce},
    {"d1::start_scan", 1, name_of(trace::Construct::ParallelScan)},
    {"d1::sum_node", 1, name_of(trace::Construct::ParallelScan)},
    {"d1::final_sum", 1, name_of(trace::Construct::ParallelScan)},
    {"d2::for_each_iteration_task", 1, name_of(trace::Construct::ParallelForEach)},
    {"d2::for_each_root_task", 1, name_of(trace::Construct::ParallelForEach)},
    {"d2::forward_block_handling_task", 1, name_of(trace::Construct::ParallelForEach)},
    {"d2::input_block_handling_task", 0, name_of(trace::Construct::ParallelForEach)},
    {"d2::feeder_item_task", 0, name_of(trace::Construct::ParallelForEach)},
    {"d1::function_invoker", 0, name_of(trace::Construct::ParallelInvoke)},
    {"d1::invoke_subroot_task", 0, name_of(trace::Construct::ParallelInvoke)},
    {"r1::stage_task", 0, name_of(trace::Construct::ParallelPipeline)},
    {"d1::concrete_filter", 2, name_of(trace::Construct::ParallelPipeline)},
    {"d1::function_task", 0, ""},
    {"d2::function_task", 0, ""},
    {"d1::function_stack_task", 0, ""},
    {"d1::enqueue_task", 0, ""},
};

// Templates in which the algorithms themselves wrap the user's function.
inline constexpr TaskTemplate kBodyWrappers[] = {
    {"d1::parallel_for_body_wrapper", 0, ""},
    {"d1::lambda_reduce_body", 2, ""},
    {"d1::lambda_scan_body", 2, ""},
    // over random access iterators
    {"d2::parallel_for_body_wrapper", 1, name_of(trace::Construct::ParallelForEach)},
};

// Loops: only recompiled code records the calls of their bodies.
inline constexpr std::array kLoops = {
    name_of(trace::Construct::ParallelFor), name_of(trace::Construct::ParallelReduce),
    kDeterministicReduce, name_of(trace::Construct::ParallelForEach),
    name_of(trace::Construct::ParallelSort)};
// What orders their code beyond spawns and waits, only recompiled code records: joins of results,
// messages, callers that continue after another one's call.
inline constexpr std::array kOrderedInHeaders = {
    name_of(trace::Construct::ParallelReduce), kDeterministicReduce,
    name_of(trace::Construct::ParallelScan), name_of(trace::Construct::FlowGraph), kCallOnce};
// Of these, what puts other code in order than that of its own tasks, so that their work does not
// limit by how much a path is too short.
inline constexpr std::array kOrderOthers = {name_of(trace::Construct::FlowGraph), kCallOnce};
inline constexpr std::array kCallsOnce = {kCallOnce};
inline constexpr std::array kReductions = {name_of(trace::Construct::ParallelReduce),
                                           kDeterministicReduce};
inline constexpr std::array kMessages = {name_of(trace::Construct::FlowGraph)};
// Steals decide which parts are summed twice, and which come one after the other.
inline constexpr std::array kScans = {name_of(trace::Construct::ParallelScan)};
// Their filters and nodes may run in the order of arrival. A recompiled program names the nodes,
// others name the graph.
inline constexpr std::array kPipelines = {name_of(trace::Construct::ParallelPipeline)};
inline constexpr std::array<std::string_view, 4> kNodes = {
    "function_node", "multifunction_node", "async_node", name_of(trace::Construct::FlowGraph)};

// Static loops, or what distribute deals out, are part of their tasks, and nothing shows where.
inline constexpr std::array kWithHiddenLoops = {name_of(trace::Construct::OmpParallelGcc),
                                                name_of(trace::Construct::OmpTeamsGcc)};

// What people call the code of a construct. Others: its tasks.
struct ConstructNoun {
  std::string_view construct, noun;
};
inline constexpr std::string_view kNode = "node";
inline constexpr std::string_view kPipeline = "pipeline";
inline constexpr std::string_view kReduction = "reduction";
inline constexpr std::string_view kLoop = "loop";
inline constexpr std::string_view kRegion = "parallel region";
inline constexpr std::string_view kLeague = "league of teams";
inline constexpr ConstructNoun kNouns[] = {
    {name_of(trace::Construct::ParallelFor), kLoop},
    {name_of(trace::Construct::ParallelForEach), kLoop},
    {name_of(trace::Construct::ParallelReduce), kReduction},
    {kDeterministicReduce, kReduction},
    {name_of(trace::Construct::ParallelScan), "scan"},
    {name_of(trace::Construct::ParallelSort), "sort"},
    {name_of(trace::Construct::ParallelInvoke), "parallel_invoke"},
    {name_of(trace::Construct::Thread), "thread"},
    {name_of(trace::Construct::OmpParallel), kRegion},
    {name_of(trace::Construct::OmpParallelGcc), kRegion},
    {name_of(trace::Construct::OmpTeams), kLeague},
    {name_of(trace::Construct::OmpTeamsGcc), kLeague},
    {name_of(trace::Construct::OmpDistribute), kLoop},
    {name_of(trace::Construct::OmpFor), kLoop},
    {name_of(trace::Construct::OmpTaskloop), kLoop},
    {name_of(trace::Construct::OmpSections), "sections"},
    {name_of(trace::Construct::OmpReduction), "combiner"},
    {name_of(trace::Construct::ParallelPipeline), kPipeline},
    {name_of(trace::Construct::FlowGraph), kNode},
    {"continue_node", kNode},
    {"function_node", kNode},
    {"multifunction_node", kNode},
    {"async_node", kNode},
    {"input_node", kNode},
};

} // namespace tp::analysis
