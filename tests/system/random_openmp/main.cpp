// SPDX-License-Identifier: Apache-2.0
// random_openmp SEED THREADS [--describe] [NUMBER...], without the statements of these numbers: runs the
// random program of a seed and prints the expected profile as JSON.
// random_openmp --serve: does so for each line of stdin that has such arguments, in a process forked for it, which has
// a recording of its own, and then prints the number of that process and its status. Nothing is started, loaded or linked
// for each program, which takes several times as long as the programs. run.py calls this for many seeds.
#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

using namespace random_openmp;

namespace {

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2)
    return 2;
  Program program = generate(std::strtoull(arguments[0].c_str(), nullptr, 10));
  number_statements(program);
  Settings settings = {static_cast<unsigned>(std::strtoul(arguments[1].c_str(), nullptr, 10)),
                       interpreter_is_of_gcc};
  bool describes = false;
  std::vector<unsigned> dropped;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    if (arguments[i] == "--describe")
      describes = true;
    else
      dropped.push_back(static_cast<unsigned>(std::strtoul(arguments[i].c_str(), nullptr, 10)));
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
  return 0;
}

int serve() {
  for (std::string line; std::getline(std::cin, line);) {
    const pid_t child = fork();
    if (child < 0)
      return 1;
    if (child == 0) {
      std::istringstream words(line);
      std::vector<std::string> arguments;
      for (std::string word; words >> word;)
        arguments.push_back(word);
      std::exit(run(arguments));
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::cout << "process " << child << ' '
              << (WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status)) << std::endl;
  }
  return 0;
}

} // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::string(arguments[1]) == "--serve")
    return serve();
  return run({arguments + 1, arguments + count});
}
