#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicted times of programs with short parallel regions.

    openmp_regions.py PREFIX LIBOMP [RUNS [ANALYZER...]]

300 ms of work, in regions of two threads each of which works for 1, 3, 10, 30 and 100 us; compiled by g++ and by clang++. Times
without the profiler on libomp with one thread and with two are compared with those that RUNS recordings on two threads predict for
one CPU and for two: medians with the least and the most of RUNS rounds. Other analyzers than that of PREFIX: paths of
tp-analyze, of the same recordings."""
import json
import os
import statistics
import subprocess
import sys
import tempfile

SOURCE = r"""
#include <chrono>
#include <cstdio>
#include <cstdlib>
static volatile double sink;
static void burn(int n) { double x = 1.1; for (int i = 0; i < n; ++i) x = x * 1.0000001 + 1e-9; sink = x; }
static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
int main(int, char** arguments) {
  // One unit of burn() takes the latency of a multiplication and an addition.
  const int units = std::atoi(arguments[1]), regions = std::atoi(arguments[2]);
#pragma omp parallel for
  for (int i = 0; i < 2; ++i) burn(1000);
  const double begin = now();
  for (int region = 0; region < regions; ++region) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 2; ++i) burn(units);
  }
  std::printf("%f\n", now() - begin);
}
"""
LENGTHS_US = (1, 3, 10, 30, 100)


def seconds(program, arguments, libomp, threads):
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "LD_PRELOAD": libomp}
    return float(subprocess.run([program, *arguments], env=environment, stdout=subprocess.PIPE, check=True, text=True).stdout)


def shown(values):
    values = [1000 * value for value in values]
    return f"{statistics.median(values):.0f} ({min(values):.0f} to {max(values):.0f})"


def main():
    prefix, libomp = (os.path.abspath(each) for each in sys.argv[1:3])
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    analyzers = [os.path.abspath(each) for each in sys.argv[4:]] or [prefix + "/bin/tp-analyze"]
    header = f"{'compiler':9}{'us':>4}{'1 thread':>20}{'2 threads':>20}" + f"{'predicted: 1 CPU':>20}{'2 CPUs':>20}" * len(analyzers)
    print(header)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("regions.cpp", "w", encoding="ascii") as file:
            file.write(SOURCE)
        for compiler, flags in (("g++", ["-fopenmp"]), ("clang++-19", ["-fopenmp=libomp", "-L" + os.path.dirname(libomp)])):
            subprocess.run([compiler, "-O1", "-g", "regions.cpp", "-o", "regions", *flags], check=True)
            unit = seconds("./regions", ["1000", "20000"], libomp, 1) / 40e6
            for length in LENGTHS_US:
                arguments = [str(round(length * 1e-6 / unit)), str(round(150_000 / length))]
                measured = {1: [], 2: []}
                predicted = [{1: [], 2: []} for _ in analyzers]
                for _ in range(runs):
                    for threads, values in measured.items():
                        values.append(seconds("./regions", arguments, libomp, threads))
                    environment = {**os.environ, "OMP_NUM_THREADS": "2", "TP_LIBOMP": libomp}
                    subprocess.run([prefix + "/bin/tp-run", "-q", "-o", "data", "./regions", *arguments], env=environment,
                                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    for analyzer, times in zip(analyzers, predicted):
                        subprocess.run([analyzer, "-q", "--simulate", "always", "-P", "1,2", "--json", "profile.json", "-o", "out",
                                        "data"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                        with open("profile.json", encoding="utf-8") as file:
                            profile = json.load(file)
                        with open("data/run.json", encoding="utf-8") as file:
                            hz = json.load(file)["work"]["hz"]
                        for run in profile["prediction"]["scaling"]:
                            if run["procs"] in times:
                                times[run["procs"]].append(run["time"] / hz)
                print(f"{compiler.split('-')[0]:9}{length:>4}" +
                      "".join(f"{shown(values):>20}" for values in measured.values()) +
                      "".join(f"{shown(values):>20}" for times in predicted for values in times.values()), flush=True)


if __name__ == "__main__":
    main()
