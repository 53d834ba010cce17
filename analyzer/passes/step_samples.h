// SPDX-License-Identifier: Apache-2.0
// STEP SAMPLES: which samples hit which step, and what of the step's work is which code's.
//
// Steps of a stream come in the order of time, and so do its samples: each step takes those between its
// begin and its end. What is between two steps was inside oneTBB or the profiler.
//
// A step of work w with n samples, k of them in some code (of n samples, as many as have its part of all their
// periods), has in that code w * (k + m p) / (n + m):
// p is the share of the code in all samples of the step's class, m the weight of the class against the
// step's own samples. Where the steps of a class differ (one calls heavy(), seven call light()), the
// shares of the class would be wrong for each of them, and m is small; where they do not, the step's few
// samples would only be noise, and m is large. It is estimated from the class: what two samples of one
// step have in common beyond two of different steps (the intraclass correlation r of a Dirichlet-
// multinomial distribution, m = (1 - r) / r).
//
// So the work of a step is divided into parts that its own samples decide (CodeWork) and a rest, which is
// divided like the samples of the class.
#pragma once

#include "dag/dag_visitor.h"
#include "model/samples.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tp::analysis {

// Code of the steps of one class: a class and a stack.
enum class CodeId : std::uint32_t {};

struct CodeWork {
  CodeId code{};
  std::uint64_t work = 0;
};

// Samples may be more or less dense in parts of the run: each counts for so many periods.
struct StackCount {
  StackId stack{};
  std::uint64_t count = 0, periods = 0;
};

// How much the share of a function differs between parts of the run that follow one another, as sums of
// squares: found, and expected if samples did not depend on each other. More is found where samples fall
// in step with what the program repeats.
struct Scatter {
  FunctionId function{};
  double found = 0, expected = 0;
  std::uint64_t pairs = 0; // of parts
};

// The samples of a class of steps.
struct ClassSamples {
  std::uint64_t samples = 0;
  std::uint64_t periods = 0, period_squares = 0; // sums over its samples
  std::vector<StackCount> stacks;                // by stack
  // Of pairs of two samples of one step: all; those with the same functions on the stack.
  double pairs = 0, equal_pairs = 0;
  std::vector<Scatter> scatter; // by function
};

// What the first reading found, arranged for the others.
class SampleWeights {
public:
  SampleWeights(const IdVector<StepClassId, ClassSamples>& classes, const SampledCode& code);

  struct Code {
    StepClassId of{};
    StackId stack{};
    std::uint64_t samples = 0, periods = 0;
  };
  const IdVector<CodeId, Code>& codes() const { return codes_; }
  // Of a class, [begin, end) of the codes; the class has no others.
  std::pair<CodeId, CodeId> codes_of(StepClassId of) const {
    return classes_.contains(of) ? std::pair(classes_[of].begin, classes_[of].end)
                                 : std::pair(CodeId{}, CodeId{});
  }
  std::uint64_t samples_of(StepClassId of) const {
    return classes_.contains(of) ? classes_[of].samples : 0;
  }
  std::uint64_t periods_of(StepClassId of) const {
    return classes_.contains(of) ? classes_[of].periods : 0;
  }
  // How many samples for one period each would decide as much (Kish 1965): all, if all count for the same.
  double equal_samples_of(StepClassId of) const {
    return classes_.contains(of) ? classes_[of].equal_samples : 0;
  }
  // m of the class, in kUnits of samples; empty: the steps of the class do not differ.
  static constexpr std::uint64_t kUnits = 256;
  std::optional<std::uint64_t> weight_of(StepClassId of) const {
    return classes_.contains(of) && classes_[of].differ ? std::optional(classes_[of].weight)
                                                        : std::nullopt;
  }
  // The code of a class and a stack that the class has.
  CodeId find(StepClassId of, StackId stack) const;

private:
  struct Class {
    CodeId begin{}, end{};
    std::uint64_t samples = 0, periods = 0;
    double equal_samples = 0;
    bool differ = false;
    std::uint64_t weight = 0;
  };
  IdVector<CodeId, Code> codes_;
  IdVector<StepClassId, Class> classes_;
};

class StepSamples {
public:
  // Both outlive this. Without weights samples are counted.
  StepSamples(const SampledCode& code, const SampleWeights* weights);

  // Hot: once per step. The parts of the step's work that its samples decide; with weights only, and
  // valid until the next call.
  std::span<const CodeWork> file(StepClassId of, const Step& step);

  const IdVector<StepClassId, ClassSamples>& classes() const { return classes_; }
  // After the last step.
  void finish();
  std::uint64_t filed() const { return filed_; }
  // Taken in a step, but while its thread waited for a lock or in a loop that it announced: under none.
  std::uint64_t in_waits() const { return in_waits_; }
  const IdVector<CodeId, std::uint64_t>& code_work() const { return code_work_; }

private:
  std::span<const TimedStack> take(const Step& step);
  std::span<const TimedStack> of_work(std::span<const TimedStack> samples,
                                      std::span<const TimeSpan> waited);
  void count_stacks(std::span<const TimedStack> samples);
  void count(StepClassId of, std::uint32_t stream, std::span<const TimedStack> samples);
  // So many samples of a class on a stream, one after the other, and how many of them are in functions.
  struct Part {
    std::uint32_t samples = 0;
    std::map<FunctionId, std::uint32_t> functions;
  };
  struct Parts {
    Part before, now;
  };
  void add_to_part(StepClassId of, Parts& parts, const TimedStack& sample);
  void compare(StepClassId of, const Parts& parts);
  void divide(StepClassId of, const Step& step, std::span<const TimedStack> samples);

  const SampledCode& code_;
  const SampleWeights* const weights_;
  std::vector<std::size_t> next_;  // per stream
  std::vector<bool> prior_taken_;  // likewise
  std::vector<StackCount> counts_; // scratch, by stack
  std::vector<std::uint32_t> paths_;
  std::vector<CodeWork> parts_;
  IdVector<StepClassId, ClassSamples> classes_;
  std::map<std::pair<StepClassId, std::uint32_t>, Parts> run_;
  std::map<std::pair<StepClassId, FunctionId>, Scatter> scatter_;
  IdVector<CodeId, std::uint64_t> code_work_;
  std::uint64_t filed_ = 0, in_waits_ = 0;
  std::vector<TimedStack> of_work_;
};

} // namespace tp::analysis
