// SPDX-License-Identifier: Apache-2.0
// random_openmp SEED THREADS [--describe] [NUMBER...], without the statements of these numbers: runs the
// random program of a seed and prints the expected profile as JSON. run.py calls this for many seeds.
#include "program.h"

#include <cstdlib>
#include <cstring>
#include <iostream>

using namespace random_openmp;

int main(int count, char** arguments) {
  if (count < 3)
    return 2;
  Program program = generate(std::strtoull(arguments[1], nullptr, 10));
  number_statements(program);
  Settings settings = {static_cast<unsigned>(std::strtoul(arguments[2], nullptr, 10)),
                       interpreter_is_of_gcc};
  bool describes = false;
  std::vector<unsigned> dropped;
  for (int i = 3; i < count; ++i) {
    if (std::strcmp(arguments[i], "--describe") == 0)
      describes = true;
    else
      dropped.push_back(static_cast<unsigned>(std::strtoul(arguments[i], nullptr, 10)));
  }
  drop(program, dropped);
  if (describes) {
    std::cout << describe(program);
    return 0;
  }
  if (interpreter_is_of_tbb && !program.is_of_tasks) {
    std::cout << "{\"skipped\":true}\n";
    return 0;
  }
  const Expected expected = expect(program, settings);
  run(program, settings);
  std::cout << "{\"work\":" << expected.work << ",\"span\":[" << expected.span.least << ','
            << expected.span.most << "],\"divisible_span\":";
  if (expected.divisible_span)
    std::cout << *expected.divisible_span;
  else
    std::cout << "null";
  std::cout << ",\"tasks\":" << expected.tasks
            << ",\"is_of_tasks\":" << (program.is_of_tasks ? "true" : "false") << ",\"executed\":{";
  for (unsigned i = 0; i < kKinds; ++i)
    std::cout << '"' << name_of(static_cast<Kind>(i)) << "\":" << expected.executed[i] << ',';
  for (unsigned i = 0; i < kPhaseKinds; ++i)
    std::cout << (i > 0 ? "," : "") << '"' << name_of(static_cast<PhaseKind>(i))
              << "\":" << expected.phases[i];
  std::cout << "}}\n";
}
