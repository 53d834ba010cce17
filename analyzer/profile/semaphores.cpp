// SPDX-License-Identifier: Apache-2.0
// See semaphores.h.
#include "profile/semaphores.h"

#include "base/wide.h"
#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tp::analysis {
namespace {

constexpr std::string_view kKind = "semaphore";

// "the semaphore slots (a.cpp:12)", that which was passed most often; there is one.
std::string names_of(const Locks& locks) {
  const LockRow* most = nullptr;
  std::size_t count = 0;
  for (const LockRow& row : locks.rows)
    if (row.kind == kKind) {
      ++count;
      if (most == nullptr || row.totals.acquisitions > most->totals.acquisitions)
        most = &row;
    }
  return fmt::format("the {}{}", most->phrase(),
                     count == 1   ? ""
                     : count == 2 ? " and one more"
                                  : fmt::format(" and {} more", count - 1));
}

} // namespace

bool semaphores_matter(const Locks& locks, std::uint64_t work) {
  return locks.past_semaphores > 0 && Wide{locks.past_semaphores} * 20 >= work;
}

std::vector<Warning> passed_semaphores(const Measured& measured, const Locks& locks) {
  if (!semaphores_matter(locks, measured.work()))
    return {};
  return {{"semaphores",
           fmt::format("tasks, or parts of them, that pass {} have {} % of the work: how many of "
                       "them that lets run at a time is in no bound and no prediction",
                       names_of(locks), percent(locks.past_semaphores, measured.work())),
           false}};
}

} // namespace tp::analysis
