// SPDX-License-Identifier: Apache-2.0
// Names of sites: library frames, C++ names, types of tasks, mapped paths.
#include "sites/cxx_names.h"
#include "sites/site_resolver.h"
#include "sites/site_table.h"
#include "sites/task_type.h"

#include <gtest/gtest.h>

namespace tp::analysis {
namespace {

TEST(Sites, LibraryFramesAreSkipped) {
  EXPECT_TRUE(is_library_frame("tbb::detail::d1::start_for<int>::run()", "x.h"));
  EXPECT_TRUE(is_library_frame("void tbb::detail::d1::parallel_for<int>(int)", "x.h"));
  EXPECT_TRUE(is_library_frame("f", "/usr/include/c++/12/bits/x.h"));
  EXPECT_FALSE(is_library_frame("void user::f(tbb::blocked_range<int> const&)", "user.cpp"));
  EXPECT_TRUE(is_library_frame(
      "auto __pstl::__tbb_backend::__parallel_for<int>(int)::{lambda()#1}::operator()() const",
      ""));
  EXPECT_FALSE(is_library_frame("std::vector<int> user::f<int>(int)", "user.cpp"));
  // Names that the demangler rejects, and names with parts that it does not know.
  EXPECT_TRUE(
      is_library_frame("_ZZN3tbb6detail2d125collaborative_once_runner16isolated_executeIZN1", ""));
  EXPECT_TRUE(is_library_frame("_ZZNK6__pstl10__internal1fEvENKUlvE_clEv.constprop.0", ""));
  EXPECT_TRUE(is_library_frame("_ZSt8for_eachIiEvT_.isra.0", ""));
  EXPECT_FALSE(is_library_frame("_ZN4shop5tradeEi.constprop.0", ""));
  EXPECT_FALSE(is_library_frame("_ZN1S3runEv.part.0", ""));
}

TEST(Sites, NamesLoseWhatDoesNotFit) {
  const std::map<std::string, std::string> plain_of = {
      {"void user::f<int, std::vector<int> >(std::vector<int>&, char)", "user::f"},
      {"(anonymous namespace)::g(int)", "(anonymous namespace)::g"},
      {"int a::(anonymous namespace)::S<int>::h() const", "a::(anonymous namespace)::S::h"},
      {"void a::S<b::T<3u>, 4>::operator()<b::T<3u> >(b::T<3u> const&)", "a::S::operator()"},
      {"bool a::operator<(int)", "a::operator<"},
      {"decltype ({parm#1}()) a::f<int (*)()>(int (*)())", "a::f"},
      {"decltype (g<int>(0))::type a::f<1>(int)", "a::f"},
      {"decltype (g", "decltype (g"},
      {"decltype (g)", "decltype (g)"},
      {"a::S& a::operator<< <int>(a::S&, int)", "a::operator<<"},
      {"a::S<int>::operator bool() const", "a::S::operator bool"},
      {"std::string a::f[abi:cxx11](int)", "a::f"},
      {"work::operators(int)", "work::operators"},
      {"f(int)::{lambda(int)#1}::operator()(int) const", "f"},
      {"main", "main"}};
  for (const auto& [function, plain] : plain_of)
    EXPECT_EQ(plain, plain_name(function));
  EXPECT_EQ("S::h+0x10", short_name("a::b::(anonymous namespace)::S::h+0x10"));
  EXPECT_EQ("S::h", short_name("S::(anonymous namespace)::h"));
  EXPECT_EQ("main", short_name("main"));
}

TEST(Sites, TypesOfTasksTellBodyAndConstruct) {
  const auto is = [](const std::string& type, const std::string& body,
                     const std::string& construct) {
    const TaskType found = look_at_task_type("tbb::detail::" + type);
    EXPECT_EQ(body, found.body) << type;
    EXPECT_EQ(construct, found.construct) << type;
  };
  const std::string part = "tbb::detail::d1::auto_partitioner const", range = "user::Range<int, 3>";
  is("d1::start_for<" + range +
         ", user::work(int, char)::{lambda(user::Range<int, 3> const&)#1}, " + part + ">",
     "user::work(int, char)", "parallel_for");
  is("d1::start_for<" + range + ", user::Body<int (char, long)>, " + part + ">",
     "user::Body<int (char, long)>", "parallel_for");
  is("d1::start_for<" + range +
         ", tbb::detail::d1::parallel_for_body_wrapper<main::{lambda(int)#1}, int>, " + part + ">",
     "main", "parallel_for");
  is("d1::start_for<" + range +
         ", tbb::detail::d2::parallel_for_body_wrapper<int*, user::Body, int>, " + part + ">",
     "user::Body", "parallel_for_each");
  is("d1::start_for<tbb::detail::d1::quick_sort_range<int*, std::less<int> >, x, y>", "",
     "parallel_sort");
  is("d1::start_reduce<" + range + ", tbb::detail::d1::lambda_reduce_body<" + range +
         ", int, f()::{lambda()#1}, std::plus<int> >, " + part + ">",
     "f()", "parallel_reduce");
  is("d1::function_task<g()::{lambda()#1}::operator()() const::{lambda()#2}>", "g()", "");
  is("d1::function_task<std::function<void ()> >", "", "");
  is("r1::stage_task", "", "parallel_pipeline");
  is("d1::start_for<", "", "parallel_for"); // cut off
  is("r1::delegated_task", "", "");
}

TEST(Sites, LongestPathPrefixWins) {
  EXPECT_EQ("/y/c.cpp", map_path("/a/b/c.cpp", {{"/a", "/x"}, {"/a/b", "/y"}}));
  EXPECT_EQ("c.cpp", map_path("c.cpp", {{"/a", "/x"}}));
}

} // namespace
} // namespace tp::analysis
