// SPDX-License-Identifier: Apache-2.0
// See failed_tries.h.
#include "profile/failed_tries.h"

#include "base/wide.h"
#include "profile/waiting_loops.h"
#include "report/numbers.h"
#include "sites/cxx_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tp::analysis {
namespace {

std::uint64_t retried(const Locks& locks) {
  std::uint64_t sum = 0;
  for (const LockRow& row : locks.rows)
    sum += row.totals.retried;
  return sum;
}

bool retried_less(const LockTotals& a, const LockTotals& b) {
  return a.retried < b.retried;
}

// What is said to be at most that much is not more than that.
std::uint64_t percent_at_most(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<std::uint64_t>((Wide{part} * 100 + (whole - 1)) / whole);
}

// "the spin_mutex queue (q.cpp:17)", with the place where most of the time passed; there is one.
std::string tried_locks(const Locks& locks) {
  const LockRow& most = *std::ranges::max_element(locks.rows, retried_less, &LockRow::totals);
  const LockPlaceRow& place =
      *std::ranges::max_element(most.places, retried_less, &LockPlaceRow::totals);
  const auto others = std::ranges::count_if(
      locks.rows, [&](const LockRow& row) { return &row != &most && row.totals.retried > 0; });
  return fmt::format("the {}{}{}", most.phrase(),
                     &place == &most.places.front() ? "" : ", tried at " + place.info.name,
                     others == 0   ? ""
                     : others == 1 ? ", and one more lock"
                                   : fmt::format(", and {} more locks", others));
}

std::string_view name_of_file(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

// The loop is around the attempts, or one of its loops is: in the same function; of a lambda only the place is known.
bool is_at(const SiteInfo& place, const WaitingLoopRow& loop) {
  constexpr std::uint32_t kLinesOfLambda = 10;
  if (name_of_file(place.file) != name_of_file(loop.file))
    return false;
  if (FunctionRow::is_place(loop.function))
    return std::max(place.line, loop.line) - std::min(place.line, loop.line) <= kLinesOfLambda;
  return std::ranges::any_of(place.functions, [&](const std::string& function) {
    return plain_name(function) == loop.function;
  });
}

bool is_tried_in(const std::vector<LockRow>& locks, const WaitingLoopRow& loop) {
  return std::ranges::any_of(locks, [&](const LockRow& lock) {
    return std::ranges::any_of(lock.places, [&](const LockPlaceRow& place) {
      return place.totals.retried > 0 && is_at(place.info, loop);
    });
  });
}

void add(SampledWork& sum, const SampledWork& more) {
  sum.work += more.work;
  sum.low += more.low;
  sum.high += more.high;
}

} // namespace

void leave_out_tries(SampledWaiting& waiting, const Locks& locks, const Measured& measured) {
  if (std::erase_if(waiting.rows,
                    [&](const WaitingLoopRow& loop) { return is_tried_in(locks.rows, loop); }) == 0)
    return;
  waiting.work = waiting.critical_work = {};
  for (const WaitingLoopRow& row : waiting.rows) {
    add(waiting.work, row.work);
    add(waiting.critical_work, row.critical_work);
  }
  decide_if_it_matters(waiting, measured);
}

bool tries_matter(const Locks& locks, std::uint64_t work) {
  const std::uint64_t sum = retried(locks);
  return sum > 0 && Wide{sum} * 20 >= work;
}

std::vector<Warning> failed_tries(const Measured& measured, const Locks& locks) {
  if (!tries_matter(locks, measured.work()))
    return {};
  const double hz = measured.run().same_as_time ? measured.read.time_hz
                                                : static_cast<double>(measured.run().work.hz);
  const auto amount = [&](std::uint64_t work) { return human(work, measured.run().work, hz); };
  const std::uint64_t sum = retried(locks);
  return {{"failed_tries",
           fmt::format("at most {} % of the work ({} of {}) is waiting: between failed attempts to "
                       "acquire {}. It counts as work, also in bounds and predictions, since "
                       "threads may do something else meanwhile: where they only wait, acquire "
                       "the lock by a call that waits, or announce the loop by <tp/lock.h> "
                       "(docs/how-to/locks.md)",
                       percent_at_most(sum, measured.work()), amount(sum), amount(measured.work()),
                       tried_locks(locks)),
           false}};
}

std::string remedy_of_tries(const Profile& profile) {
  const std::uint64_t sum = retried(profile.locks);
  if (sum == 0 || Wide{sum} * 10 < profile.work)
    return "";
  return fmt::format("At most {} % of the work is waiting: between failed attempts to acquire {}. "
                     "If threads do nothing else meanwhile, hold it for a shorter time, or divide "
                     "what it protects; acquired by a call that waits, it is in bounds and "
                     "predictions.",
                     percent_at_most(sum, profile.work), tried_locks(profile.locks));
}

} // namespace tp::analysis
