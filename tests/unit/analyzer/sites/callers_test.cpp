// SPDX-License-Identifier: Apache-2.0
// Which functions are wrappers: stacks written by hand, and names of functions.
#include "sites/callers.h"

#include <gtest/gtest.h>

namespace tp::analysis {
namespace {

using Stack = std::vector<UserCall>;

UserCall call(const char* function, std::uint32_t line, CodeParameter code = CodeParameter::None,
              const char* file = "a.cpp") {
  return {{.file = file, .line = line, .function = "", .found_by = ""}, function, code};
}

TEST(Callers, OfAFunctionThatGetsCodeAreTheSites) {
  const Stack direct = {call("each", 7, CodeParameter::Code), call("blur", 20), call("main", 30)};
  const Stack twice = {call("inner", 3, CodeParameter::Code), call("outer", 5, CodeParameter::Code),
                       call("main", 31)};
  const Stack own = {call("blur", 21), call("main", 30)};
  EXPECT_EQ(calls_by_wrappers({direct, twice, own}, {}), (std::vector<std::size_t>{1, 2, 0}));
}

// The code of a construct, which the runtime calls, and the function that contains the construct are one call.
TEST(Callers, OfTheCodeOfAConstruct) {
  const auto code_in = [](const char* function, std::uint32_t line) {
    UserCall code = call(function, line);
    code.is_of_construct = true;
    return code;
  };
  Stack loop = {code_in("each", 8)};
  add_callers(loop, {call("each", 7, CodeParameter::Code), call("blur", 20), call("main", 30)});
  ASSERT_EQ(3u, loop.size());
  EXPECT_EQ(8u, loop[0].place.line);
  EXPECT_EQ(CodeParameter::Code, loop[0].code);
  EXPECT_EQ((std::vector<std::size_t>{1}), calls_by_wrappers({loop}, {}));
  // In another function than the region, and in one that calls itself.
  Stack orphan = {call("run", 3)};
  add_callers(orphan, {call("run", 7), call("main", 30)});
  EXPECT_EQ(3u, orphan.size());
  Stack other = {code_in("run", 3)};
  add_callers(other, {call("main", 30)});
  EXPECT_EQ(2u, other.size());
}

TEST(Callers, AWrapperWithoutACallerHasItsOwnPlace) {
  EXPECT_EQ(calls_by_wrappers({{call("each", 7, CodeParameter::Code)}, {}}, {}),
            (std::vector<std::size_t>{0, 0}));
}

TEST(Callers, AnObjectMakesAWrapperIfItIsCalledAtTwoPlaces) {
  const auto stack = [](std::uint32_t line) {
    return Stack{call("Job::start", 7, CodeParameter::Object), call("main", line)};
  };
  EXPECT_EQ(calls_by_wrappers({stack(20), stack(20)}, {}), (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(calls_by_wrappers({stack(20), stack(21)}, {}), (std::vector<std::size_t>{1, 1}));
}

TEST(Callers, ManyCallersMakeAWrapper) {
  std::vector<Stack> stacks;
  for (const char* caller : {"a", "b", "c", "d", "e", "f", "g"})
    stacks.push_back({call("normalize", 7), call(caller, 20)});
  EXPECT_EQ(calls_by_wrappers(stacks, {}), std::vector<std::size_t>(7, 0));
  stacks.push_back({call("normalize", 7), call("h", 20)});
  EXPECT_EQ(calls_by_wrappers(stacks, {}), std::vector<std::size_t>(8, 1));
}

TEST(Callers, ARecursiveFunctionIsNotAWrapper) {
  const Stack first = {call("sort", 7, CodeParameter::Code), call("main", 20)};
  const Stack inside = {call("sort", 7, CodeParameter::Code), call("sort", 8)}; // in a lambda of it
  EXPECT_EQ(calls_by_wrappers({first}, {}), (std::vector<std::size_t>{1}));
  EXPECT_EQ(calls_by_wrappers({first, inside}, {}), (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(calls_by_wrappers({first, inside}, {"sort"}), (std::vector<std::size_t>{1, 1}));
  // Through the code that it runs, known or not.
  const Stack nested = {call("sort", 7, CodeParameter::Code), call("blur", 22), call("sort", 7)};
  Stack unknown = inside;
  unknown.back().is_indirect = true;
  EXPECT_EQ(calls_by_wrappers({first, nested, unknown}, {}), (std::vector<std::size_t>{1, 1, 1}));
}

TEST(Callers, AnOverloadMayCallAnother) {
  const auto each = [](std::uint32_t line, std::uint32_t declared_at) {
    UserCall result = call("each", line, CodeParameter::Code);
    result.declared_at = declared_at;
    return result;
  };
  EXPECT_EQ(calls_by_wrappers({{each(7, 5), each(12, 10), call("main", 20)}}, {}),
            (std::vector<std::size_t>{2}));
  // Each of them calls the other, or that is not known.
  EXPECT_EQ(calls_by_wrappers({{each(7, 5), each(12, 10), each(8, 5), call("main", 20)}}, {}),
            (std::vector<std::size_t>{0}));
  EXPECT_EQ(calls_by_wrappers({{each(7, 5), each(12, 0), call("main", 20)}}, {}),
            (std::vector<std::size_t>{0}));
}

TEST(Callers, FunctionsOfSystemFoldersAreWrappers) {
  const Stack stack = {call("shop::order", 7, CodeParameter::None, "/usr/include/shop/order.h"),
                       call("main", 20)};
  EXPECT_EQ(calls_by_wrappers({stack}, {}), (std::vector<std::size_t>{1}));
}

TEST(Callers, AWrapperIsNamedByItsLastComponents) {
  const Stack stack = {call("ns::Pool::run", 7), call("main", 20)};
  for (const char* name : {"ns::Pool::run", "Pool::run", "run"})
    EXPECT_EQ(calls_by_wrappers({stack}, {name}), (std::vector<std::size_t>{1})) << name;
  for (const char* name : {"ool::run", "Pool", "run2", ""})
    EXPECT_EQ(calls_by_wrappers({stack}, {name}), (std::vector<std::size_t>{0})) << name;
}

TEST(Callers, CanBeLeftOut) {
  const Stack stack = {call("each", 7, CodeParameter::Code), call("main", 20)};
  EXPECT_EQ(calls_by_wrappers({stack}, {"none"}), (std::vector<std::size_t>{0}));
  EXPECT_TRUE(unknown_wrappers({stack}, {"none"}).empty());
}

TEST(Callers, NamesOfNoFunctionAreFound) {
  const Stack stack = {call("ns::Pool::run", 7), call("main", 20)};
  EXPECT_EQ(unknown_wrappers({stack}, {"Pool::run", "walk", "main"}),
            std::vector<std::string>{"walk"});
}

TEST(CodeParameters, AreFoundInNames) {
  const auto no_class = [](std::string_view) { return false; };
  for (const char* code : {"par(int, std::function<void (int)> const&)",
                           "twice(int, void (*)(int))", "apply(A&, void (A::*)(int))"})
    EXPECT_EQ(code_parameter(code, no_class), CodeParameter::Code) << code;
  for (const char* none :
       {"blur(Image&)", "void each<main::{lambda(int)#1}>(int, main::{lambda(int)#1} const&)",
        "main::{lambda(int)#1}::operator()(int) const", "main"})
    EXPECT_EQ(code_parameter(none, no_class), CodeParameter::None) << none;
  const auto is_job = [](std::string_view name) { return name == "a::Job"; };
  for (const char* object : {"all(int, a::Job const&)", "void all<int>(a::Job*, int)",
                             "all(a::Job&&)::{lambda(int)#1}::operator()(int) const",
                             "put(std::unique_ptr<a::Job, std::default_delete<a::Job> >)",
                             "share(std::shared_ptr<a::Job const> const&)"})
    EXPECT_EQ(code_parameter(object, is_job), CodeParameter::Object) << object;
  for (const char* none : {"all(a::Job2&)", "all(std::vector<a::Job>&)", "a::Job::all(int)",
                           "f(int)::{lambda(a::Job&)#1}::operator()(a::Job&) const"})
    EXPECT_EQ(code_parameter(none, is_job), CodeParameter::None) << none;
}

TEST(CodeParameters, HaveTheTypeOfTheTasksBody) {
  EXPECT_TRUE(has_parameter("all(It&, It&, ns::Body const&, int)", "ns::Body"));
  EXPECT_TRUE(has_parameter("void each<A<int, 3u>>(int, A<int, 3u> const&)", "A<int, 3u>"));
  EXPECT_FALSE(has_parameter("void each<A<int, 3u>>(int)", "A<int, 3u>"));
  EXPECT_FALSE(has_parameter("all(Body2&)", "Body"));
  EXPECT_FALSE(has_parameter("all()", ""));
}

} // namespace
} // namespace tp::analysis
