// SPDX-License-Identifier: Apache-2.0
// Names of sites: library frames, C++ names, types of tasks, mapped paths.
#include "sites/cxx_names.h"
#include "sites/site_resolver.h"
#include "sites/site_table.h"
#include "sites/task_type.h"

#include <gtest/gtest.h>

namespace tp::analysis {
namespace {

// The types of std::thread::_State that libstdc++ makes for std::thread and std::async.
TEST(Sites, WhatAThreadRuns) {
  const auto of = [](const std::string& code) {
    return look_at_thread_type("std::thread::_State_impl<std::thread::_Invoker<std::tuple<" + code +
                               "> > >");
  };
  EXPECT_EQ(of("main::{lambda()#1}"), "main");
  EXPECT_EQ(of("shop::Render"), "shop::Render");
  EXPECT_EQ(of("shop::Cache<std::tuple<int, char> >, int"), "shop::Cache<std::tuple<int, char> >");
  EXPECT_EQ(of("void (shop::Load::*)(int), shop::Load*, int"), "shop::Load");
  EXPECT_EQ(of("void (*)(int), int"), "") << "a pointer has no name";
  EXPECT_EQ(of("std::function<void ()>"), "");
  EXPECT_EQ(
      of("std::__future_base::_Async_state_impl<std::thread::_Invoker<std::tuple<shop::f(int)::{"
         "lambda()#2}> "
         ">, void>::_Async_state_impl(std::thread::_Invoker<std::tuple<shop::f(int)::{lambda()#2}> "
         ">&&)::{lambda()#1}"),
      "shop::f(int)");
  EXPECT_EQ(look_at_thread_type(""), "");
  EXPECT_EQ(look_at_thread_type("std::thread::_State_impl<"), "");
  EXPECT_EQ(look_at_thread_type("std::thread::_Invoker<"), "");
}

TEST(Sites, LibraryFramesAreSkipped) {
  EXPECT_TRUE(is_library_frame("tbb::detail::d1::start_for<int>::run()", "x.h"));
  EXPECT_TRUE(is_library_frame("void tbb::detail::d1::parallel_for<int>(int)", "x.h"));
  EXPECT_TRUE(is_library_frame("f", "/usr/include/c++/12/bits/x.h"));
  EXPECT_TRUE(is_library_frame("operator()", "/usr/include/c++/12/pstl/parallel_backend_tbb.h"));
  EXPECT_TRUE(is_library_frame("operator()", "/usr/include/oneapi/tbb/detail/_task.h"));
  EXPECT_TRUE(is_library_frame("", "/opt/onetbb/include/oneapi/tbb/parallel_for.h"));
  EXPECT_TRUE(is_library_frame("operator()", "/usr/include/x86_64-linux-gnu/c++/12/bits/x.h"));
  EXPECT_TRUE(is_library_frame("f", "/usr/lib/llvm-19/bin/../include/c++/v1/__algorithm/x.h"));
  // A folder of a user may have any name; so may a header below a system folder.
  for (const char* file :
       {"/home/me/pstl/x.cpp", "/home/me/oneapi/tbb/x.cpp", "/home/me/include/tbb/x.cpp",
        "/home/me/bits/stl_x.h", "/usr/include/shop/order.h", "/usr/lib/gcc/x.h",
        "/home/me/c++/17/x.cpp", "/home/me/tp/x.h", "/home/me/c++/include/x.h"}) {
    EXPECT_FALSE(is_library_frame("operator()", file)) << file;
    EXPECT_FALSE(is_library_frame("shop::order(int)", file)) << file;
    EXPECT_FALSE(is_library_frame("main", file)) << file;
  }
  // The namespace decides where the name shows it.
  EXPECT_FALSE(is_library_frame("shop::order()", "/home/me/oneapi/tbb/parallel_for.h"));
  EXPECT_FALSE(is_library_frame("stdx::f()", ""));
  EXPECT_FALSE(is_library_frame("decltype(auto) shop::f(std::vector<int>)", "x.cpp"));
  EXPECT_TRUE(is_library_frame("constexpr std::pair<int, int> std::f(int) [with T = int]", ""));
  EXPECT_TRUE(is_library_frame("__pstl::__internal::enable_if<P, void> std::for_each(P&&)", ""));
  EXPECT_TRUE(is_library_frame("auto __gnu_parallel::f()::(lambda)::operator()() const", ""));
  EXPECT_FALSE(is_library_frame("main()::<lambda(std::vector<int>)>", "x.cpp"));
  EXPECT_FALSE(is_library_frame("{anonymous}::f()", "x.cpp"));
  EXPECT_FALSE(is_library_frame("bool operator<(tbb::A, tbb::A)", "x.cpp"));
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
      {"a::S& a::operator<< <int>(a::S&, int)", "a::operator<<"},
      {"a::S<int>::operator bool() const", "a::S::operator bool"},
      {"std::string a::f[abi:cxx11](int)", "a::f"},
      {"work::operators(int)", "work::operators"},
      {"f(int)::{lambda(int)#1}::operator()(int) const", "f"},
      {"main", "main"}};
  for (const auto& [function, plain] : plain_of)
    EXPECT_EQ(plain, plain_name(function));
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
  // The lambda may be an argument of the body's type, or of the function around the body's lambda.
  is("d1::function_task<user::Retry<main::{lambda()#1}> >", "user::Retry<main::{lambda()#1}>", "");
  is("d1::function_task<void user::twice<main::{lambda()#1}>(int)::{lambda()#2}>",
     "void user::twice<main::{lambda()#1}>(int)", "");
  is("d1::function_task<user::S<int (char)>::operator()() const::{lambda()#1}>",
     "user::S<int (char)>::operator()() const", "");
  is("d1::function_task<bool user::operator< <main::{lambda()#1}>(int)::{lambda()#1}>",
     "bool user::operator< <main::{lambda()#1}>(int)", "");
  is("d1::function_task<std::function<void ()> >", "", "");
  is("d1::start_for<" + range + ", tbb::detail::d1::parallel_for_body_wrapper<void (int), int>, " +
         part + ">",
     "", "parallel_for");
  is("d1::function_task<std::vector<int, user::A<int> > (*)(int)>", "", "");
  is("d1::function_stack_task<tbb::detail::d1::collaborative_once_flag::do_collaborative_call_once<"
     "tbb::detail::d1::collaborative_call_once<main::{lambda()#1}>(tbb::detail::d1::"
     "collaborative_once_flag&, main::{lambda()#1}&&)::{lambda()#1}&>(tbb::detail::d1::"
     "collaborative_call_once<main::{lambda()#1}>(tbb::detail::d1::collaborative_once_flag&, "
     "main::{lambda()#1}&&)::{lambda()#1}&)::{lambda()#1}>",
     "", "collaborative_call_once");
  is("r1::stage_task", "", "parallel_pipeline");
  is("d1::start_for<", "", "parallel_for"); // cut off
  is("r1::delegated_task", "", "");
}

// Where a task of a flow graph acquires a lock, no call of the program's is on the stack.
TEST(Sites, LocksInsideOfOneTbbAreNamedByWhatTheyProtect) {
  const std::string cache = "tbb::detail::d1::broadcast_cache<std::__cxx11::map<int, Image>, "
                            "tbb::detail::d1::spin_rw_mutex>::";
  const LibraryLock sent =
      lock_of_library(cache + "try_put_task(std::__cxx11::map<int, Image> const&)");
  EXPECT_EQ("the successors of a flow graph's nodes that send std::map", sent.what);
  EXPECT_TRUE(sent.holds_copies);
  const LibraryLock registered = lock_of_library(cache + "register_successor(int&)");
  EXPECT_EQ(sent.what, registered.what);
  EXPECT_FALSE(registered.holds_copies);
  EXPECT_EQ(
      "the successors of a flow graph's nodes that send Image*",
      lock_of_library("tbb::detail::d2::successor_cache<Image*, tbb::detail::d1::spin_rw_mutex>::"
                      "clear()")
          .what);
  const LibraryLock node = lock_of_library("tbb::detail::d1::overwrite_node<int>::try_get(int&)");
  EXPECT_EQ("oneTBB's overwrite_node", node.what);
  EXPECT_TRUE(node.is_of_nodes);
  EXPECT_FALSE(node.holds_copies);
  const std::string queue = "tbb::detail::d1::aggregator_generic<tbb::detail::d1::"
                            "concurrent_priority_queue<TASK, Less, Allocator>::cpq_operation>::"
                            "execute<int>(int*, int&, bool)";
  const auto queue_of = [&](const std::string& task) {
    return std::string(queue).replace(queue.find("TASK"), 4, task);
  };
  EXPECT_EQ("a flow graph's tasks that have a priority",
            lock_of_library(queue_of("tbb::detail::d1::graph_task*")).what);
  EXPECT_FALSE(lock_of_library(queue_of("Job*")).is_known());
  const LibraryLock port = lock_of_library(
      "void tbb::detail::d1::aggregator_generic<tbb::detail::d1::queueing_port<"
      "Image>::queueing_port_operation>::execute<int>("
      "tbb::detail::d1::queueing_port<Image>::queueing_port_operation*, int&, bool)");
  EXPECT_EQ("oneTBB's queueing_port", port.what);
  EXPECT_TRUE(port.is_of_nodes);
  // The locks themselves, and what is not oneTBB's.
  for (const char* other :
       {"tbb::detail::d1::spin_rw_mutex::lock()",
        "tp::lock_taken(void const*, tp::lock_kind, bool)",
        "tbb::detail::d1::rw_scoped_lock<tbb::detail::d1::spin_rw_mutex>::acquire(int&, bool)",
        "tbb::detail::d1::machine_wait()", "ours::broadcast_cache<int>::try_put_task(int)", "",
        "main"})
    EXPECT_FALSE(lock_of_library(other).is_known()) << other;
}

TEST(Sites, AFileHasOneName) {
  EXPECT_EQ("src/x.cpp", normal_path("./src/deep/../x.cpp"));
  EXPECT_EQ("../x.cpp", normal_path("../x.cpp"));
  EXPECT_EQ("x.cpp", relative_path("/work/x.cpp", "/work"));
  EXPECT_EQ("../src/x.cpp", relative_path("/work/src/x.cpp", "/work/build/"));
  EXPECT_EQ("", relative_path("x.cpp", "/work"));
}

TEST(Sites, LongestPathPrefixWins) {
  EXPECT_EQ("/y/c.cpp", map_path("/a/b/c.cpp", {{"/a", "/x"}, {"/a/b", "/y"}}));
  EXPECT_EQ("c.cpp", map_path("c.cpp", {{"/a", "/x"}}));
}

} // namespace
} // namespace tp::analysis
