// SPDX-License-Identifier: Apache-2.0
// Speed of the analyzer on four shapes of trees: items are records. `decode` only walks the bytes:
// the difference to `analyze` is the cost of the tree, the passes and the figures.
#include "profile/make_profile.h"
#include "recording.h"
#include "shapes.h"

#include <benchmark/benchmark.h>

namespace {

constexpr std::uint64_t kSteps = 4'000'000; // about

std::string recording_of(const tp::bench::Shape& shape) {
  return tp::bench::record([&] {
    tp::test::start();
    shape.program(kSteps);
  });
}

void report(benchmark::State& state, const tp::bench::Amount& amount) {
  state.SetItemsProcessed(static_cast<std::int64_t>(amount.records) * state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(amount.bytes) * state.iterations());
}

void decode(benchmark::State& state) {
  const std::string data = recording_of(tp::bench::kShapes[state.range(0)]);
  state.SetLabel(tp::bench::kShapes[state.range(0)].name);
  tp::bench::Amount amount;
  for (auto _ : state)
    amount = tp::bench::amount_in(data);
  report(state, amount);
}
BENCHMARK(decode)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

void analyze(benchmark::State& state) {
  const std::string data = recording_of(tp::bench::kShapes[state.range(0)]);
  state.SetLabel(tp::bench::kShapes[state.range(0)].name);
  for (auto _ : state) {
    const auto source = tp::analysis::open_directory(data);
    benchmark::DoNotOptimize(tp::analysis::make_profile(source, {}).work);
  }
  report(state, tp::bench::amount_in(data));
}
BENCHMARK(analyze)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

} // namespace
