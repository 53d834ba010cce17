#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording OpenMP costs: CPU time per empty task, chunk of one iteration, empty region of one thread and of two, and
region with a static loop of one iteration per thread, above libomp's own, and the work that each seems to have; and a task of oneTBB.

    openmp.py PREFIX LIBOMP [ROUNDS [WHAT[,WHAT...]]]

WHAT: task, chunk, region1, region, static; all if not given. Each round runs everything once, and once without what is measured, whose
time is subtracted; the medians are printed, and the range of what is added. Threads do not spin: those of a region may sleep
between two."""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

COUNTS = {"task": 500_000, "chunk": 500_000, "region1": 200_000, "region": 20_000, "static": 20_000}
OPENMP = """
#include <cstdlib>
#include <cstring>
int main(int, char** arguments) {
  const int count = std::atoi(arguments[2]);
  if (std::strcmp(arguments[1], "task") == 0) {
    #pragma omp parallel num_threads(2)
    #pragma omp single
    for (int i = 0; i < count; ++i) {
      #pragma omp task
      { asm volatile("" ::: "memory"); }
    }
  } else if (std::strcmp(arguments[1], "chunk") == 0) {
    #pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (int i = 0; i < count; ++i)
      asm volatile("" ::: "memory");
  } else if (std::strcmp(arguments[1], "static") == 0) {
    for (int i = 0; i < count; ++i) {
      #pragma omp parallel for schedule(static) num_threads(2)
      for (int j = 0; j < 2; ++j)
        asm volatile("" ::: "memory");
    }
  } else {
    const int threads = std::strcmp(arguments[1], "region1") == 0 ? 1 : 2;
    for (int i = 0; i < count; ++i) {
      #pragma omp parallel num_threads(threads)
      { asm volatile("" ::: "memory"); }
    }
  }
}
"""
TBB = """
#include <oneapi/tbb/task_group.h>
#include <cstdlib>
int main(int, char** arguments) {
  const int count = std::atoi(arguments[2]);
  tbb::task_group group;
  for (int i = 0; i < count; ++i) group.run([] { asm volatile("" ::: "memory"); });
  group.wait();
}
"""


def cpu_seconds(command, **variables):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env={**os.environ, "OMP_WAIT_POLICY": "passive", **variables}, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    prefix, libomp = (os.path.abspath(each) for each in sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    chosen = sys.argv[4].split(",") if len(sys.argv) > 4 else list(COUNTS)
    if unknown := [what for what in chosen if what not in COUNTS]:
        sys.exit(f"openmp.py: error: expected some of {', '.join(COUNTS)}, got {', '.join(unknown)}")
    folder_of_libomp = os.path.dirname(libomp)
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in (("openmp.cpp", OPENMP), ("tbb.cpp", TBB)):
            with open(name, "w", encoding="ascii") as file:
                file.write(text)
        subprocess.run(["g++", "-O2", "-fopenmp", "openmp.cpp", "-o", "gcc"], check=True)
        subprocess.run(["clang++-19", "-O2", "-fopenmp", "-L" + folder_of_libomp, "openmp.cpp", "-o", "clang"], check=True)
        subprocess.run(["g++", "-O2", "tbb.cpp", "-o", "tbb", "-ltbb"], check=True)
        runs = [(program, what) for program in ("gcc", "clang") for what in chosen]
        runs += [("tbb", "task")] if "task" in chosen else []
        for _ in range(rounds):
            for program, what in runs:
                own = {"LD_PRELOAD": libomp} if program == "gcc" else {"LD_LIBRARY_PATH": folder_of_libomp}
                ours = {"TP_LIBOMP": libomp, **(own if program == "clang" else {})}
                times = []
                for count in (0, COUNTS[what]):
                    command = ["./" + program, what, str(count)]
                    times.append((cpu_seconds(command, **(own if program != "tbb" else {})),
                                  cpu_seconds([prefix + "/bin/tp-run", "-q", "-o", "data", *command], **ours)))
                plain, recorded = (after - before for before, after in zip(*times))
                subprocess.run([prefix + "/bin/tp-analyze", "-q", "--simulate", "never", "--json", "profile.json", "-d", "data"],
                               check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                with open("profile.json", encoding="utf-8") as file:
                    profile = json.load(file)
                with open("data/run.json", encoding="utf-8") as file:
                    hz = json.load(file)["work"]["hz"]
                row = figures.setdefault((program, what), ([], [], []))
                for values, value in zip(row, (plain, recorded, profile["work"] / hz)):
                    values.append(value * 1e9 / COUNTS[what])
    print(f"{'':14}{'alone':>8}{'recorded':>10}{'above':>8}{'(range)':>16}{'T1':>8}   ns each, medians of {rounds}")
    for (program, what), (plain, recorded, work) in figures.items():
        added = [after - before for before, after in zip(plain, recorded)]
        spread = f"{min(added):.0f} to {max(added):.0f}"
        print(f"{program:7}{what:7}{statistics.median(plain):8.0f}{statistics.median(recorded):10.0f}"
              f"{statistics.median(added):8.0f}{spread:>16}{statistics.median(work):8.0f}")


main()
