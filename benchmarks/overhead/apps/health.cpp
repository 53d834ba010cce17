// SPDX-License-Identifier: Apache-2.0
// A health system, after the program of that name in the Barcelona OpenMP Tasks Suite: villages
// form a tree, and each has a hospital with a few beds. In each step of time people fall ill, are
// examined where they live, and are treated there or sent to the hospital above, which acts after
// all below it have acted: many small tasks, which become serial towards the root. Size: steps.
#include "benchmark.h"

#include <vector>

namespace {

constexpr unsigned kLevels = 5, kBranches = 4;
constexpr unsigned kPeople = 20, kBeds = 4;
constexpr unsigned kExamination = 3, kTreatment = 10; // steps
constexpr std::uint64_t kIllness = 50, kHard = 300;   // of a thousand

struct Patient {
  std::uint64_t number; // its next random number, and the sum that verifies the result
  unsigned steps_left = 0;
  unsigned visits = 0;

  bool happens(std::uint64_t of_a_thousand) {
    number = bench::random_number(number);
    return number % 1000 < of_a_thousand;
  }
};
using Patients = std::vector<Patient>;

struct Village {
  unsigned level = 0;
  std::vector<Village> below;
  Patients healthy, waiting, examined, treated;
  Patients sent; // to the village above

  unsigned free_beds() const {
    return kBeds * (kLevels - level) - static_cast<unsigned>(examined.size() + treated.size());
  }
};

Village make_village(unsigned level, std::uint64_t number) {
  Village village;
  village.level = level;
  for (unsigned i = 0; i < kPeople; ++i)
    village.healthy.push_back({bench::random_number(number * kPeople + i)});
  for (unsigned i = 0; level + 1 < kLevels && i < kBranches; ++i)
    village.below.push_back(make_village(level + 1, number * kBranches + i + 1));
  return village;
}

// Moves those for whom `leaves` is true from one list to the end of another, in their order.
template <typename Leaves>
void move_some(Patients& from, Patients& to, Leaves leaves) {
  auto keep = from.begin();
  for (Patient& patient : from)
    if (leaves(patient))
      to.push_back(patient);
    else
      *keep++ = patient;
  from.erase(keep, from.end());
}

// What happens in the village itself, after the villages below.
void act(Village& village) {
  bench::spend(village.healthy.size() + 4 * village.waiting.size() +
               2 * (village.examined.size() + village.treated.size()));
  move_some(village.treated, village.healthy,
            [](Patient& patient) { return --patient.steps_left == 0; });
  Patients hard;
  move_some(village.examined, hard, [&](Patient& patient) {
    return --patient.steps_left == 0 && village.level > 0 && patient.happens(kHard);
  });
  village.sent.insert(village.sent.end(), hard.begin(), hard.end());
  move_some(village.examined, village.treated, [](Patient& patient) {
    if (patient.steps_left > 0)
      return false;
    patient.steps_left = kTreatment;
    return true;
  });
  unsigned beds = village.free_beds();
  move_some(village.waiting, village.examined, [&](Patient& patient) {
    if (beds == 0)
      return false;
    --beds;
    ++patient.visits;
    patient.steps_left = kExamination;
    return true;
  });
  move_some(village.healthy, village.waiting,
            [](Patient& patient) { return patient.happens(kIllness); });
  for (Village& each : village.below) {
    village.waiting.insert(village.waiting.end(), each.sent.begin(), each.sent.end());
    each.sent.clear();
  }
}

void step(Village& village) {
#ifdef _OPENMP
  for (Village& each : village.below) {
    Village* const below = &each;
#pragma omp task
    step(*below);
  }
#pragma omp taskwait
#else
  tbb::task_group group;
  for (Village& each : village.below)
    group.run([&each] { step(each); });
  group.wait();
#endif
  act(village);
}

void step_serially(Village& village) {
  for (Village& each : village.below)
    step_serially(each);
  act(village);
}

std::uint64_t sum_of(const Village& village) {
  std::uint64_t sum = 0;
  for (const Patients* list :
       {&village.healthy, &village.waiting, &village.examined, &village.treated, &village.sent})
    for (const Patient& patient : *list)
      sum = bench::random_number(sum + patient.number) + patient.visits + patient.steps_left;
  for (const Village& each : village.below)
    sum = bench::random_number(sum) + sum_of(each);
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  bench::Benchmark benchmark(argc, argv, {3000, 10});
  const long steps = benchmark.size();
  Village root = make_village(0, 0), same = root;
  benchmark.measured([&] {
#ifdef _OPENMP
#pragma omp parallel
#pragma omp single
#endif
    for (long i = 0; i < steps; ++i)
      step(root);
  });
  for (long i = 0; i < steps; ++i)
    step_serially(same);
  return benchmark.verdict(sum_of(root) == sum_of(same));
}
