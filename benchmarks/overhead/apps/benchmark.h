// SPDX-License-Identifier: Apache-2.0
// What the benchmark programs share. Each is a oneTBB program that generates its own input, the
// same in every run, and verifies its result:
//
//   NAME [--size N] [--small] [--threads N] [--serial]
//
// It prints one line, "NAME: size N, wall S s, cpu S s, ok". Exit status: 0; 1 if the result is
// wrong; 2 for wrong usage. Only the function given to measured() is timed: the input is generated
// and oneTBB is started before it, and the result is verified after it.
//
// Some have an OpenMP version of the part with tasks (-fopenmp), for benchmarks/openmp, which creates
// the same tasks. Compiled with BENCH_COMPARED, they count their work by spend().
//
// --serial runs NAME.serial, the serial elision: the same source compiled with BENCH_SERIAL, where
// elision.h replaces oneTBB and runs at once what would be spawned. Programs that include headers
// of oneTBB themselves have no serial elision.
#pragma once

#ifdef BENCH_SERIAL
#include "elision.h"
#elif defined(_OPENMP)
#include <omp.h>
#else
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_group.h>
#endif

#ifdef BENCH_COMPARED
#include <tp/virtual_clock.h>
#endif

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <time.h>
#include <unistd.h>

namespace bench {

// Of the virtual clock, if the program was compiled to be compared.
inline void spend([[maybe_unused]] std::uint64_t units) {
#ifdef BENCH_COMPARED
  tp::spend(units);
#endif
}

// A pseudorandom number that depends only on i: the input is the same on every machine.
inline std::uint64_t random_number(std::uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15u;
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
  i = (i ^ i >> 27) * 0x94d049bb133111ebu;
  return i ^ i >> 31;
}
// The same as a fraction in [0, 1).
inline double random_fraction(std::uint64_t i) {
  return static_cast<double>(random_number(i) >> 11) * 0x1p-53;
}

inline double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// callgrind counts only inside this function, see benchmarks/overhead/run.py.
template <typename Program>
[[gnu::noinline]] void measured_part(Program& program) {
  program();
}

class Benchmark {
public:
  struct Sizes {
    long usual; // about a second on two cores
    long small; // for a test
    long least = 1, most = LONG_MAX;
  };
  // The program defines what its size counts.
  Benchmark(int argc, char** argv, const Sizes& sizes) : program_(argv[0]), size_(sizes.usual) {
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--small") == 0)
        size_ = sizes.small;
      else if (std::strcmp(argv[i], "--size") == 0 && i + 1 < argc)
        size_ = number(argv[++i], sizes.least, sizes.most);
      else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
        threads_ = number(argv[++i], 1, 1024);
      else if (std::strcmp(argv[i], "--serial") == 0)
        run_serial_elision(argv);
      else
        usage(argv[i], "an option");
    }
  }

  long size() const { return size_; }

  template <typename Program>
  void measured(Program program) {
#if defined(_OPENMP)
    if (threads_ > 0)
      omp_set_num_threads(static_cast<int>(threads_));
#pragma omp parallel
    {
    }
#elif !defined(BENCH_SERIAL)
    const tbb::global_control limit(
        tbb::global_control::max_allowed_parallelism,
        threads_ > 0
            ? static_cast<std::size_t>(threads_)
            : tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
    tbb::task_group().run_and_wait([] {});
#endif
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    measured_part(program);
    wall_ = seconds(CLOCK_MONOTONIC) - wall;
    cpu_ = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  }

  // Prints the result line; returns the exit status of main.
  int verdict(bool is_right) const {
    const char* const slash = std::strrchr(program_, '/');
    std::printf("%s: size %ld, wall %.6f s, cpu %.6f s, %s\n", slash ? slash + 1 : program_, size_,
                wall_, cpu_, is_right ? "ok" : "WRONG RESULT");
    return is_right ? 0 : 1;
  }

private:
  [[noreturn]] void usage(const char* argument, const std::string& expected) const {
    std::fprintf(stderr,
                 "%s: %s: expected %s\nusage: %s [--size N] [--small] [--threads N] [--serial]\n",
                 program_, argument, expected.c_str(), program_);
    std::exit(2);
  }
  long number(const char* text, long least, long most) const {
    char* end = nullptr;
    errno = 0;
    const long value = std::strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < least || value > most)
      usage(text, "a number from " + std::to_string(least) + " to " + std::to_string(most));
    return value;
  }
  void run_serial_elision([[maybe_unused]] char** argv) const {
#ifndef BENCH_SERIAL
    const std::string serial = std::string(program_) + ".serial";
    execv(serial.c_str(), argv);
    std::fprintf(stderr, "%s: %s: no serial elision\n", serial.c_str(), std::strerror(errno));
    std::exit(2);
#endif
  }

  const char* program_;
  long size_;
  long threads_ = 0;
  double wall_ = 0, cpu_ = 0;
};

} // namespace bench
