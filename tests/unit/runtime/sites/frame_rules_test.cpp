// SPDX-License-Identifier: Apache-2.0
// Calls found by frame rules against those that the unwinder finds, from functions of all kinds of
// frames.
#include "sites/call_path.h"
#include "sites/frame_rules.h"
#include "tp/trace/trace_format.h"

#include <gtest/gtest.h>

#include <alloca.h>
#include <unwind.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#if defined(__x86_64__)
namespace {

using namespace tp::rt;

using Calls = std::vector<std::uintptr_t>;

_Unwind_Reason_Code keep(_Unwind_Context* context, void* data) {
  if (const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(context)); address != 0)
    static_cast<Calls*>(data)->push_back(address);
  return _URC_NO_REASON;
}

FrameRules rules;
const FrameRule* rule_at(std::uintptr_t address) {
  const FrameRule* const known = rules.find(address);
  return known != nullptr ? known : &rules.learn(address);
}
Calls by_rules, by_unwinding;
unsigned compared = 0;
// What CallPaths says of the calls that were found by unwinding.
CallPaths paths;
std::map<Calls, std::uint64_t> numbers;

// Both begin with the return address of this function.
[[gnu::noinline]] void compare() {
  by_rules.clear();
  by_unwinding.clear();
  visit_calls(
      rule_at, __builtin_frame_address(0), nullptr,
      [](std::uintptr_t address) {
        by_rules.push_back(address);
        return by_rules.size() < 200;
      },
      [](std::uintptr_t, std::uintptr_t) {});
  _Unwind_Backtrace(keep, &by_unwinding);
  by_unwinding.erase(by_unwinding.begin()); // in this function
  by_unwinding.resize(std::min<std::size_t>(by_unwinding.size(), 200));
  ASSERT_GE(by_unwinding.size(), 3u);
  // The unwinder may go on where the description of a thread's first function has no caller.
  ASSERT_GE(by_rules.size() + 1, by_unwinding.size());
  by_rules.resize(by_unwinding.size() < by_rules.size() ? by_unwinding.size() : by_rules.size());
  by_unwinding.resize(by_rules.size());
  ASSERT_EQ(by_rules, by_unwinding);
  ++compared;
  std::uint64_t found[3];
  const auto methods = {&CallPaths::find, &CallPaths::learn, &CallPaths::find};
  for (std::size_t i = 0; i < 3; ++i) // one call: one return address
    found[i] = (paths.*methods.begin()[i])(nullptr);
  ASSERT_TRUE(found[0] == CallPaths::kUnlearned || found[0] == found[1]);
  ASSERT_EQ(found[2], found[1]);
  const std::size_t calls = calls_of_path(nullptr); // with the one in this function
  ASSERT_GE(calls, std::min<std::size_t>(by_unwinding.size() + 1, tp::trace::kMaxPathCalls));
  ASSERT_LE(calls, tp::trace::kMostPathCalls);
  by_unwinding.resize(std::min(by_unwinding.size(), calls - 1));
  ASSERT_EQ(numbers.emplace(by_unwinding, found[1]).first->second, found[1]);
}

std::minstd_rand random_numbers(7);
volatile std::size_t sink;

void call_some(unsigned depth);

[[gnu::noinline]] void plain(unsigned depth) {
  call_some(depth);
  sink = depth;
}
[[gnu::noinline]] void with_alloca(unsigned depth) {
  const std::size_t size = 8 + random_numbers() % 2000;
  char* const memory = static_cast<char*>(alloca(size));
  std::memset(memory, 1, size);
  call_some(depth);
  sink = static_cast<std::size_t>(memory[size / 2]);
}
[[gnu::noinline, gnu::optimize("no-omit-frame-pointer")]] void with_frame_pointer(unsigned depth) {
  call_some(depth);
  sink = depth;
}
[[gnu::noinline]] void with_aligned_stack(unsigned depth) {
  alignas(64) volatile char memory[64] = {};
  memory[depth % 64] = 1;
  call_some(depth);
  sink = static_cast<std::size_t>(memory[3]);
}
[[gnu::noinline]] void with_aligned_alloca(unsigned depth) {
  alignas(32) volatile char memory[32] = {};
  with_alloca(depth);
  sink = static_cast<std::size_t>(memory[3]);
}
[[gnu::noinline]] void with_many_registers(unsigned depth) {
  std::size_t a = sink, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6;
  call_some(depth);
  sink = a ^ b ^ c ^ d ^ e ^ f ^ g;
  call_some(depth > 2 ? depth - 2 : 0);
  sink = a * b * c * d * e * f * g;
}
[[gnu::noinline]] void with_arguments_on_the_stack(unsigned depth, long, long, long, long, long,
                                                   long, long h, long i) {
  call_some(depth);
  sink = static_cast<std::size_t>(h + i);
}
[[gnu::noinline]] void in_a_handler(unsigned depth) {
  try {
    throw std::runtime_error("");
  } catch (const std::runtime_error&) {
    call_some(depth);
  }
}
unsigned depth_in_sort = 0;
int compare_for_sort(const void*, const void*) {
  call_some(depth_in_sort);
  return 0;
}
[[gnu::noinline]] void in_a_library(unsigned depth) {
  int values[2] = {1, 2};
  depth_in_sort = depth;
  std::qsort(values, 2, sizeof values[0], compare_for_sort);
  sink = static_cast<std::size_t>(values[0]);
}

void call_some(unsigned depth) {
  if (depth == 0)
    return compare();
  const std::function<void(unsigned)> kinds[] = {
      plain,
      with_alloca,
      with_frame_pointer,
      in_a_handler,
      with_aligned_stack,
      with_aligned_alloca,
      in_a_library,
      with_many_registers,
      [](unsigned rest) { with_arguments_on_the_stack(rest, 1, 2, 3, 4, 5, 6, 7, 8); }};
  kinds[random_numbers() % std::size(kinds)](depth - 1);
}

TEST(FrameRules, LeadToTheSameCallsAsUnwinding) {
  for (unsigned i = 0; i < 3000; ++i)
    call_some(i % 8);
  EXPECT_GE(compared, 3000u);
  std::set<std::uint64_t> different;
  for (const auto& [calls, number] : numbers)
    EXPECT_TRUE(different.insert(number).second);
  EXPECT_GE(different.size(), 50u); // without inlining, six calls differ less
}

TEST(FrameRules, LeadToTheSameCallsInAThread) {
  const unsigned before = compared;
  std::thread([] {
    for (unsigned i = 0; i < 200; ++i)
      call_some(i % 5);
  }).join();
  EXPECT_GE(compared, before + 200);
}

TEST(FrameRules, AreNoneForWhatIsNotCode) {
  EXPECT_EQ(frame_rule_at(0).kind, FrameRule::Kind::None);
  EXPECT_EQ(frame_rule_at(16).kind, FrameRule::Kind::None);
  EXPECT_EQ(frame_rule_at(reinterpret_cast<std::uintptr_t>(&sink)).kind, FrameRule::Kind::None);
}

} // namespace
#endif
