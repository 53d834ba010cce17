// SPDX-License-Identifier: Apache-2.0
// What the kernel says of all CPUs of the machine.
#include "clock/machine_time.h"
#include "clock/work_clock.h"
#include "rt_support.h"

#include <ctime>

using namespace tp::rt;

namespace {

// Its tick counts roughly: of 400 ms half is enough.
TEST(MachineTime, ContainsThatOfThisProcess) {
  constexpr std::uint64_t kSpent = 400'000'000;
  const MachineTime before = read_machine_time();
  if (!before.known)
    GTEST_SKIP() << "the kernel does not say";
  const std::uint64_t begin = read_posix(CLOCK_PROCESS_CPUTIME_ID);
  while (read_posix(CLOCK_PROCESS_CPUTIME_ID) - begin < kSpent) {
  }
  const MachineTime after = read_machine_time();
  ASSERT_TRUE(after.known);
  EXPECT_GE(after.busy_ns - before.busy_ns, kSpent / 2);
}

} // namespace
