// SPDX-License-Identifier: Apache-2.0
// The variables of nodes: `@` marks the place that compilers give for a construction.
#include "sites/node_variables.h"

#include "sites/member_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tp::analysis {
namespace {

std::string variable(std::string source) {
  const std::size_t mark = source.find('@');
  source.erase(mark, 1);
  const std::string before = source.substr(0, mark);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t start = before.rfind('\n') + 1; // 0 if there is none
  return variable_at(source, static_cast<std::uint32_t>(line),
                     static_cast<std::uint32_t>(mark - start + 1));
}

TEST(NodeVariables, AreDeclared) {
  EXPECT_EQ("track",
            variable("flow::function_node<int, A<2>> @track(graph, flow::serial, [](int) {});"));
  EXPECT_EQ("track", variable("Node track(graph, [](int i) { return f(i); }@);"));
  EXPECT_EQ("track", variable("struct S { Node track@{graph, [] {}}; };"));
  EXPECT_EQ("next", variable("Node track(graph, 1), @next(graph, 2);"));
  EXPECT_EQ("next", variable("Node track{graph, 1}, next{graph, 2@};"));
  EXPECT_EQ("track", variable("auto track = flow::@function_node<int>(graph);"));
  EXPECT_EQ("track", variable("auto track = @Node(graph);"));
}

TEST(NodeVariables, AreMembersThatAConstructorInitializes) {
  const std::string before = "S::S(int i) noexcept : Base(i), ",
                    after = ", three{graph, 3} { f(); }";
  EXPECT_EQ("one", variable(before + "@one(graph, 1), two<int>{graph, 2}" + after));
  EXPECT_EQ("two", variable(before + "one(graph, 1), @two{graph, 2}" + after));
  EXPECT_EQ("one", variable("S() : @one(graph, [](int) { return 1; }) {}"));
  // g++ gives this place to a member that is initialized where it is declared.
  EXPECT_EQ("", variable("S() : one(graph, 1@) {}"));
}

TEST(NodeVariables, AreAssigned) {
  EXPECT_EQ("track", variable("auto track = std::@make_unique<Node<int>>(graph);"));
  EXPECT_EQ("track", variable("track = new @Node(graph);"));
  EXPECT_EQ("track", variable("this->track = new flow::@function_node<int>(graph);"));
  EXPECT_EQ("track", variable("std::unique_ptr<Node> track(new @Node(graph));"));
  EXPECT_EQ("track", variable("std::unique_ptr<Node> track{std::@make_unique<Node>(graph)};"));
  EXPECT_EQ("track", variable("stage.track.reset(new @Node(graph));"));
  EXPECT_EQ("track", variable("auto track = std::unique_ptr<Node>(new @Node(graph));"));
}

TEST(NodeVariables, AreNotKnownElsewhere) {
  for (const char* source : {"nodes.@emplace_back(graph);",
                             "nodes.push_back(std::@make_unique<Node>(graph));",
                             "return @Node(graph);",
                             "return std::@make_unique<Node>(graph);",
                             "use(new @Node(graph));",
                             "use(1, @Node(graph));",
                             "Node nodes[] = {@Node(graph), Node(graph)};",
                             "Node nodes[] = {Node(graph), @Node(graph)};",
                             "nodes[1] = new @Node(graph);",
                             "struct @Stages { Node a{graph}; };",
                             "class @Stages {};",
                             "struct S { explicit @S(int i) {} };",
                             "struct S { @S() : a(graph) {} };",
                             "x ? y : @Node(graph);",
                             "@NODE(graph);",
                             "@(",
                             "@)",
                             "@<",
                             "a @( b",
                             "void f@oo() {}",
                             "int main() { @}",
                             "graph.wait_for_all@();",
                             "@",
                             "x@"})
    EXPECT_EQ("", variable(source)) << source;
  EXPECT_EQ("", variable_at("", 1, 1));
  EXPECT_EQ("", variable_at("Node a(g);", 2, 1));
  EXPECT_EQ("", variable_at("Node a(g);", 1, 5));
}

// Without a column: that of the line, if it has one.
TEST(NodeVariables, AreKnownByTheLineIfItHasOne) {
  EXPECT_EQ("a", variable_at("int i = 1;\nNode a{g, 1, [](int i) { return f(i); }};\n", 2, 0));
  EXPECT_EQ("", variable_at("Node a(g); Node b(g);", 1, 0));
  EXPECT_EQ("", variable_at("int i;\nf(i);\n", 1, 0));
}

TEST(NodeVariables, ConstructorsAreRecognizedByTheirNames) {
  for (const char* name : {"Tracker::Tracker()", "Tracker::Tracker", "a::B::B(int)", "B::B(a::C)",
                           "Stages<T>::Stages() [with T = int]"})
    EXPECT_TRUE(is_constructor(name)) << name;
  for (const char* name : {"Tracker", "main()", "a::B::c()", "Ab::b()", "a::Ba::a()", "", "::"})
    EXPECT_FALSE(is_constructor(name)) << name;
}

TEST(NodeVariables, LambdasOfMembersAreRecognizedByTheirNames) {
  EXPECT_TRUE(has_lambda_of_member("node<int>::node<Tracker::track::{lambda(int)#1}>(graph&)",
                                   "Tracker::Tracker()"));
  EXPECT_TRUE(
      has_lambda_of_member("node<Tracker::track::'lambda'(int)>(graph&)", "Tracker::Tracker()"));
  EXPECT_TRUE(has_lambda_of_member("node<a::B::b_2::{lambda(B::c)#1}>(a::B)", "a::B::B(int)"));
  EXPECT_FALSE(has_lambda_of_member("node<Tracker::Tracker()::{lambda(int)#1}>(graph&)",
                                    "Tracker::Tracker()"));
  EXPECT_FALSE(has_lambda_of_member("node<Tracker::track>(graph&)", "Tracker::Tracker()"));
}

TEST(NodeVariables, AreFoundBehindLiteralsAndComments) {
  EXPECT_EQ("a", variable("f(\"({\", '(', 1'000); /* ( */ // {\nNode @a(g);"));
  EXPECT_EQ("a", variable("auto s = R\"x({)\" ({)x\";\nNode @a(g);"));
  EXPECT_EQ("a", variable("#define X ( \\\n  {\n  # if 0\nNode @a(g);"));
  EXPECT_EQ("a", variable("Node @a /* of x */ (\"\\\")\", g);"));
  EXPECT_EQ("", variable("\"Node @a(g);\""));
  EXPECT_EQ("", variable("R\"(@"));
  EXPECT_EQ("", variable("/* @"));
}

} // namespace
} // namespace tp::analysis
