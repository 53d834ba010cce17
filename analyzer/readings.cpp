// Threads share nothing but the trace and the tables, which nobody changes.
#include "readings.h"

#include "dpst_reader.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace tp::analysis {

template <typename Function>
void Readings::side_by_side(std::size_t count, Function&& function) const {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        function(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        failure = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < std::min<std::size_t>(jobs_, count); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers)
    helper.join();
  if (failure)
    std::rethrow_exception(failure);
}

Readings::Result Readings::read(const WhatIfPlan& plan, const Wanted& wanted) const {
  Analysis analysis({.plan = plan,
                     .callers = table_.callers,
                     .regions = table_.regions.size(),
                     .mode = mode_,
                     .sites = wanted.sites,
                     .composition = wanted.composition,
                     .burden = wanted.burden,
                     .grain = wanted.grain});
  Result result;
  result.summary = DpstReader(source_, info_, table_.maps, analysis).run();
  result.analysis = analysis.results();
  return result;
}

std::vector<WhatIfLength> Readings::evaluate(const WhatIfPlan& plan) const {
  std::vector<WhatIfLength> lengths(plan.scenarios.size());
  const std::size_t batches =
      (plan.scenarios.size() + kScenariosPerReading - 1) / kScenariosPerReading;
  side_by_side(batches, [&](std::size_t batch) {
    const auto begin = static_cast<std::ptrdiff_t>(batch * kScenariosPerReading);
    const auto end = std::min(begin + static_cast<std::ptrdiff_t>(kScenariosPerReading),
                              static_cast<std::ptrdiff_t>(plan.scenarios.size()));
    const WhatIfPlan part{
        plan.sets, {plan.scenarios.begin() + begin, plan.scenarios.begin() + end}, {}};
    const auto found = read(part, {}).analysis.what_if;
    std::copy(found.begin(), found.end(), lengths.begin() + begin);
  });
  return lengths;
}

std::vector<Readings::Result> Readings::read_each(const std::vector<Wanted>& wanted) const {
  std::vector<Result> results(wanted.size());
  side_by_side(wanted.size(), [&](std::size_t i) { results[i] = read({}, wanted[i]); });
  return results;
}

} // namespace tp::analysis
