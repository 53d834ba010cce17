// SPDX-License-Identifier: Apache-2.0
// The tables of constructs: the one in tp/hooks.h defines the others. The compiler compares what it
// can in profiler-lib/src/builder/agreement.cpp; this file compares the tables of programs that do
// not include each other.
#include "sites/constructs.h"
#include "text/constructs.h"
#include "tp/hooks.h"
#include "tp/trace/trace_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Names = std::vector<std::string_view>;

struct Row {
  tp_construct construct;
  std::string_view name;
};

constexpr Row kTable[] = {
#define TP_ROW(enumerator, number, name) {TP_CONSTRUCT_##enumerator, name},
    TP_CONSTRUCTS(TP_ROW)
#undef TP_ROW
};

std::string_view name_of(tp_construct construct) {
  for (const Row& row : kTable)
    if (row.construct == construct)
      return row.name;
  return "";
}

template <typename List, typename Name>
bool contains(const List& list, const Name& name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// Names of constructs, of the calls that tp-c++ tags, and of the nodes that it tags.
bool is_known(std::string_view name) {
  return std::any_of(std::begin(kTable), std::end(kTable),
                     [&](const Row& row) { return row.name == name; }) ||
         std::any_of(std::begin(tp::rewrite::kConstructs), std::end(tp::rewrite::kConstructs),
                     [&](const tp::rewrite::Construct& call) { return call.name == name; }) ||
         contains(tp::rewrite::kNodes, name);
}

bool is_algorithm(std::string_view name) {
  return name.starts_with("parallel_");
}

} // namespace

TEST(Constructs, TheTraceHasTheSameNumbersAndNames) {
  ASSERT_EQ(std::size(kTable), std::size(tp::trace::kConstructNames));
  for (std::size_t i = 0; i < std::size(kTable); ++i) {
    EXPECT_EQ(kTable[i].construct, i) << "numbers are dense";
    EXPECT_EQ(kTable[i].name, tp::trace::kConstructNames[i]);
    EXPECT_FALSE(kTable[i].name.empty());
    for (std::size_t other = 0; other < i; ++other)
      EXPECT_NE(kTable[i].name, kTable[other].name);
  }
}

TEST(Constructs, EachHasCallsThatAreTagged) {
  // Constructs that no tagged call makes: the user's own context; nodes, which are tagged where
  // they are constructed; TASK_ARENA, which no context has; threads; OpenMP's.
  const std::vector<tp_construct> without_calls = {
      TP_CONSTRUCT_UNKNOWN,       TP_CONSTRUCT_THREAD,       TP_CONSTRUCT_USER_CONTEXT,
      TP_CONSTRUCT_FLOW_GRAPH,    TP_CONSTRUCT_TASK_ARENA,   TP_CONSTRUCT_OMP_PARALLEL,
      TP_CONSTRUCT_OMP_TASK,      TP_CONSTRUCT_OMP_TASKLOOP, TP_CONSTRUCT_OMP_FOR,
      TP_CONSTRUCT_OMP_SECTIONS,  TP_CONSTRUCT_OMP_BARRIER,  TP_CONSTRUCT_OMP_PARALLEL_GCC,
      TP_CONSTRUCT_OMP_REDUCTION, TP_CONSTRUCT_OMP_TEAMS,    TP_CONSTRUCT_OMP_DISTRIBUTE,
      TP_CONSTRUCT_OMP_TEAMS_GCC};
  for (const Row& row : kTable) {
    const bool has_calls = std::any_of(
        std::begin(tp::rewrite::kConstructs), std::end(tp::rewrite::kConstructs),
        [&](const tp::rewrite::Construct& call) {
          return call.construct == row.construct && row.construct != TP_CONSTRUCT_UNKNOWN;
        });
    EXPECT_NE(has_calls, contains(without_calls, row.construct)) << row.name;
  }
}

TEST(Constructs, CallsAreNamedAsTheirConstruct) {
  // Variants that use the contexts of another algorithm or have no context of their own.
  const Names variants = {"parallel_deterministic_reduce", "collaborative_call_once",
                          "feeder::add"};
  for (const tp::rewrite::Construct& call : tp::rewrite::kConstructs) {
    const std::string_view name = call.name, construct = name_of(call.construct);
    EXPECT_FALSE(construct.empty()) << name;
    const bool is_named_so =
        is_algorithm(construct) ? name == construct : name.find(construct) != name.npos;
    EXPECT_NE(is_named_so, contains(variants, name)) << name;
  }
}

TEST(Constructs, TaskTypesNameKnownConstructs) {
  Names found;
  for (const auto& row : tp::analysis::kTaskTemplates)
    found.push_back(row.construct);
  for (const auto& row : tp::analysis::kBodyWrappers)
    found.push_back(row.construct);
  for (const std::string_view name : found)
    EXPECT_TRUE(name.empty() || is_known(name)) << name;
  for (const Row& row : kTable) // parallel_sort is a parallel_for over its own kind of range
    if (is_algorithm(row.name) && row.construct != TP_CONSTRUCT_PARALLEL_SORT) {
      EXPECT_TRUE(contains(found, row.name)) << row.name;
    }
}

TEST(Constructs, EachAlgorithmDependsOnTheScheduleInOneWay) {
  Names classes = {"parallel_invoke"}; // in no class
  const auto add = [&](const auto& names) {
    classes.insert(classes.end(), std::begin(names), std::end(names));
  };
  add(tp::analysis::kLoops);
  add(tp::analysis::kScans);
  add(tp::analysis::kPipelines);
  add(tp::analysis::kNodes);
  for (const std::string_view name : classes) {
    EXPECT_TRUE(is_known(name)) << name;
    EXPECT_EQ(std::count(classes.begin(), classes.end(), name), 1) << name;
  }
  for (const Row& row : kTable)
    if (is_algorithm(row.name)) {
      EXPECT_TRUE(contains(classes, row.name)) << row.name;
    }
}
