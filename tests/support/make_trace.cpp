// SPDX-License-Identifier: Apache-2.0
// make_trace SCRIPT DIRECTORY: writes a hand-written trace as a data directory, for trying
// tp-analyze.
#include "trace_script.h"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: make_trace SCRIPT.trace.txt DIRECTORY\n");
    return 2;
  }
  try {
    tp::test::load_trace_script(argv[1]).write(argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_trace: %s\n", error.what());
    return 2;
  }
  return 0;
}
