#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the remedy that a report of an OpenMP program names bring what the report says?

    openmp_remedies.py PREFIX LIBOMP [RUNS [CPU]]

Six programs of g++ with a planted limit. Each is recorded once on 2 threads, with CPU only on that one; its
advice, and the time that the report predicts
for 2 CPUs now and at least after the remedy, are compared with times of the program and of the one to which the remedy was applied,
medians of RUNS runs in turns without the profiler, on libomp."""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

WORK = """
#include <chrono>
#include <cstdio>
#include <cmath>
static double burn(int n) { double x = 1.1; for (int i = 0; i < n; ++i) x = std::sqrt(x + 1.5); return x; }
int main() {
  volatile double sink = 0; (void)sink;
  const auto begin = std::chrono::steady_clock::now();
  %s
  std::printf("%%f\\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}
"""
# {program: (as it is, after the remedy)}
PROGRAMS = {
    "blocks of a static loop": (
        "#pragma omp parallel for schedule(static)\nfor (int i = 0; i < 400; ++i) sink = burn(i < 200 ? 200000 : 20000);",
        "#pragma omp parallel for schedule(dynamic)\nfor (int i = 0; i < 400; ++i) sink = burn(i < 200 ? 200000 : 20000);"),
    "large chunks": (
        "#pragma omp parallel for schedule(dynamic, 300)\nfor (int i = 0; i < 400; ++i) sink = burn(150000);",
        "#pragma omp parallel for schedule(dynamic, 4)\nfor (int i = 0; i < 400; ++i) sink = burn(150000);"),
    "large grainsize": (
        "#pragma omp parallel\n#pragma omp single\n#pragma omp taskloop grainsize(300)\n"
        "for (int i = 0; i < 400; ++i) sink = burn(150000);",
        "#pragma omp parallel\n#pragma omp single\n#pragma omp taskloop grainsize(4)\n"
        "for (int i = 0; i < 400; ++i) sink = burn(150000);"),
    "outer loop of three": (
        "#pragma omp parallel for schedule(dynamic)\n"
        "for (int i = 0; i < 3; ++i) for (int j = 0; j < 100; ++j) sink = burn(200000);",
        "#pragma omp parallel for schedule(dynamic) collapse(2)\n"
        "for (int i = 0; i < 3; ++i) for (int j = 0; j < 100; ++j) sink = burn(200000);"),
    "critical": (
        "double sum = 0;\n#pragma omp parallel for schedule(dynamic, 4)\nfor (int i = 0; i < 400; ++i) {\n#pragma omp critical\n"
        "sum += burn(150000);\n}\nsink = sum;",
        "double sum = 0;\n#pragma omp parallel for schedule(dynamic, 4) reduction(+:sum)\nfor (int i = 0; i < 400; ++i)\n"
        "sum += burn(150000);\nsink = sum;"),
    "serial part": (
        "for (int i = 0; i < 200; ++i) sink = burn(150000);\n#pragma omp parallel for schedule(dynamic)\n"
        "for (int i = 0; i < 200; ++i) sink = burn(150000);",
        "#pragma omp parallel for schedule(dynamic)\nfor (int i = 0; i < 200; ++i) sink = burn(150000);\n"
        "#pragma omp parallel for schedule(dynamic)\nfor (int i = 0; i < 200; ++i) sink = burn(150000);"),
}


def seconds(program, libomp):
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "LD_PRELOAD": libomp}
    return float(subprocess.run([program], env=environment, stdout=subprocess.PIPE, check=True, text=True).stdout)


def main():
    prefix, libomp = (os.path.abspath(each) for each in sys.argv[1:3])
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    pinned = ["taskset", "-c", sys.argv[4]] if len(sys.argv) > 4 else []
    started = time.monotonic()
    rows, advice = [], []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, sources in PROGRAMS.items():
            for which, source in zip(("before", "after"), sources):
                with open("program.cpp", "w", encoding="ascii") as file:
                    file.write(WORK % source)
                subprocess.run(["g++", "-O1", "-g", "-fopenmp", "program.cpp", "-o", which], check=True)
                if which == "before":
                    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "TP_LIBOMP": libomp}
                    subprocess.run(pinned + [prefix + "/bin/tp-run", "-q", "-o", "data", "./before"], env=environment,
                                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    subprocess.run([prefix + "/bin/tp-analyze", "-q", "--simulate", "always", "-P", "1,2", "--json",
                                    "profile.json", "-o", "out", "data"], check=True, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            with open("profile.json", encoding="utf-8") as file:
                profile = json.load(file)
            with open("data/run.json", encoding="utf-8") as file:
                hz = json.load(file)["work"]["hz"]
            predicted = {run["procs"]: run["time"] / hz for run in profile["prediction"]["scaling"]}
            finding = next((each for each in profile["findings"] if each.get("procs") == 2), None)
            now = predicted.get(2)
            least = finding["least_time"] / hz if finding else None
            times = {"before": [], "after": []}
            for _ in range(runs):
                for which, values in times.items():
                    values.append(seconds("./" + which, libomp))
            before, after = (statistics.median(times[which]) for which in ("before", "after"))
            rows.append((name, now, before, least, after))
            advice.append((name, profile.get("advice", "")))
    print(f"{'ms on 2 CPUs':26}{'predicted':>10}{'measured':>10}{'after, at least':>17}{'measured':>10}")
    for name, *values in rows:
        cells = [f"{1000 * each:.0f}" if each is not None else "-" for each in values]
        print(f"{name:26}{cells[0]:>10}{cells[1]:>10}{cells[2]:>17}{cells[3]:>10}")
    for name, text in advice:
        print(f"{name}: {re.sub(' +', ' ', text)}")
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)


main()
