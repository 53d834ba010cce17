#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What-if of the function that is named first, compared with the edited program.

    benchmarks/accuracy/functions/edited.py [--prefix DIR] [--runs N] [--only NAME,...] [--check]

The programs are those of the case studies, without their causal regions, and programs of benchmarks/overhead/apps.
In a copy of each source, one function does its work REPEATS times (an environment variable: the same binary is the
original, with FACTOR repetitions, and the edited program, with one). Of the original, the report must name this
function before all others; parallelism, and the time on the CPUs of this machine, that are predicted for the
function in a FACTOR-th of its time are compared with those of the edited program. Times are without the time
without a CPU. Medians of the runs.
--check: exit status 1 unless each function is named first in all runs, and all errors are at most 10 percent.
"""
import argparse
import os
import re
import statistics
import sys
import tempfile

from bench import Bench

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
FACTOR = 4
STUDIES, APPS = f"{ROOT}/benchmarks/accuracy/case_studies", f"{ROOT}/benchmarks/overhead/apps"
BEGIN = 'for (int repeat = 0; repeat < repeats; ++repeat) { asm volatile("" ::: "memory");'
REPEATS = """#include <cstdlib>
static const int repeats = std::atoi(std::getenv("REPEATS"));
"""


class Program:
    """`edits`: (old text, new text) of the source; {{ and }} in the new text begin and end what is repeated."""

    def __init__(self, folder, name, function, arguments, edits):
        self.source, self.name, self.function = f"{folder}/{name}.cpp", name, function
        self.arguments, self.edits = arguments, edits

    def write(self, path):
        with open(self.source, encoding="utf-8") as file:
            text = file.read()
        for old, new in self.edits:
            assert text.count(old) == 1, f"{self.source}: expected once: {old}"
            text = text.replace(old, new.replace("{{", BEGIN).replace("}}", "}"))
        text = re.sub(r"(?m)^ *const tp::CausalRegion .*\n", "", text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(REPEATS + text)


PROGRAMS = [
    Program(STUDIES, "spanning_forest", "sort", ["before", "1500000"], [
        ("  std::sort(begin, end, [&](const Edge& a, const Edge& b) {\n    ++comparisons;\n    return a < b;\n  });\n",
         "  const Edges unsorted(begin, end);\n  {{\n  std::copy(unsorted.begin(), unsorted.end(), begin);\n"
         "  std::sort(begin, end, [&](const Edge& a, const Edge& b) {\n    ++comparisons;\n    return a < b;\n  });\n  }}\n")]),
    Program(STUDIES, "convex_hull", "parse", ["before", "2000000"], [
        ("  const char* at = text.data() + part.begin() * kLine;\n", "  {{\n  const char* at = text.data() + part.begin() * kLine;\n"),
        ("    at += kLine;\n  }\n  tp::spend(4", "    at += kLine;\n  }\n  }}\n  tp::spend(4")]),
    Program(STUDIES, "option_pricing", "write", ["before", "300000"], [
        ('    std::snprintf(line, sizeof line, "%15.6f\\n", options[i].price);\n',
         '    {{ std::snprintf(line, sizeof line, "%15.6f\\n", options[i].price); }}\n')]),
    Program(STUDIES, "refinement", "collect", ["before", "3000000"], [
        ("  for (std::size_t i = part.begin(); i < part.end(); ++i)\n    if (is_bad(elements[i]))\n      found.push_back(i);\n",
         "  {{\n  found = Found();\n  for (std::size_t i = part.begin(); i < part.end(); ++i)\n    if (is_bad(elements[i]))\n"
         "      found.push_back(i);\n  }}\n")]),
    Program(STUDIES, "triangulation", "place", ["before", "4000000"], [
        ("  for (std::size_t i = part.begin(); i < part.end(); ++i)\n    order[next[keys[i]]++] = i;\n",
         "  {{\n  Counts at = next;\n  for (std::size_t i = part.begin(); i < part.end(); ++i) {\n    std::uint64_t hash = 0;\n"
         "    for (int again = 0; again < 4; ++again) {\n    hash = i;\n    asm volatile(\"\" : \"+r\"(hash));\n"
         "    for (int round = 0; round < 5; ++round)\n      hash = study::random_number(hash);\n    }\n"
         "    order[at[hash % kCells]++] = i;\n  }\n  }}\n")]),
    Program(APPS, "pipeline", "make_block", ["--size", "1500"], [
        ("  Numbers block;\n  while", "  Numbers block;\n  {{\n  block.clear();\n  while"),
        ("static_cast<std::uint8_t>(random >> 32));\n  }\n", "static_cast<std::uint8_t>(random >> 32));\n  }\n  }}\n")]),
    Program(APPS, "sparselu", "dense", ["--size", "55"], [
        ("  bench::Matrix result(a.n * kBlock);\n  for (std::size_t i = 0; i < result.n; ++i)\n",
         "  bench::Matrix result(0);\n  {{\n  result = bench::Matrix(a.n * kBlock);\n  for (std::size_t i = 0; i < result.n; ++i)\n"),
        ("        result(i, j) = (*block)(i % kBlock, j % kBlock);\n",
         "        result(i, j) = (*block)(i % kBlock, j % kBlock);\n  }}\n")]),
    Program(APPS, "kmeans", "make_point", ["--size", "3000000"], [
        ("  for (std::size_t d = 0; d < kDimensions; ++d)\n    point[d] =",
         "  {{ for (std::size_t d = 0; d < kDimensions; ++d)\n    point[d] ="),
        ("bench::random_number(i * kDimensions + d) % 2000);\n", "bench::random_number(i * kDimensions + d) % 2000);\n  }}\n")]),
    Program(APPS, "alignment", "score_backwards", ["--size", "180"], [
        ("  int best = 0;\n  for (std::size_t i = a.size(); i-- > 0;)\n",
         "  int best = 0;\n  {{\n  for (std::size_t i = a.size(); i-- > 0;)\n"),
        ("      matrix[i][j] = here;\n      best = std::max(best, here);\n    }\n",
         "      matrix[i][j] = here;\n      best = std::max(best, here);\n    }\n  }}\n")]),
    Program(APPS, "heat", "Plate::wave", ["--size", "3000"], [
        ("    return std::sin(static_cast<double>(i) * step()) * std::sin(static_cast<double>(j) * step());\n",
         "    double value = 0;\n    {{ asm volatile(\"\" : \"+r\"(i), \"+r\"(j));\n"
         "    value += std::sin(static_cast<double>(i) * step()) * std::sin(static_cast<double>(j) * step()); }}\n"
         "    return value / repeats;\n")]),
]


def named_first(profile):
    """The first change that names a function, alone or as most of a code segment: the name, and the point."""
    what_if = profile["what_if"]
    for change in what_if["changes"]:
        found = re.search(r"(?:^function|, mostly) (.+)$", change["name"])
        if found:
            return found[1], (profile["functions"] if change["kind"] == "function" else what_if["explored"])[change["index"]]["points"][0]
    return "none", None


def on_cpus(profile):
    """The elapsed time in seconds, less the estimate of the time without a CPU."""
    return (profile["run_check"]["elapsed_ns"] - profile["run_check"]["without_cpu_ns"]) / 1e9


def predicted_seconds(profile, point):
    """The time on the CPUs of this machine. Not by the CPU time of the process: threads that look for work have some as well."""
    times = {each["procs"]: each["time"] for each in point["predicted"]}
    return times[profile["measured"]["procs"]] / profile["clock"]["hz"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default=f"{ROOT}/build/release/stage", help="an installed Taskpath")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", help="names of programs, separated by commas")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    wrong = 0
    print(f"{'program':<16} {'function':<16} {'named':>6} {'before':>7} {'what if':>8} {'edited':>7} {'off by':>7}   "
          f"{'time s':>6} {'what if':>8} {'edited':>7} {'off by':>7}")
    for program in PROGRAMS:
        if arguments.only and program.name not in arguments.only.split(","):
            continue
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(os.path.abspath(arguments.prefix), folder)
            copy = f"{folder}/{program.name}.cpp"
            program.write(copy)
            binary = bench.build(copy, f"-I{os.path.dirname(program.source)}")
            named, figures = 0, []
            for _ in range(arguments.runs):
                os.environ["REPEATS"] = str(FACTOR)
                bench.record([binary, *program.arguments])
                before, _ = bench.analyze("--what-if-mode", "optimize", "--factors", str(FACTOR), "--timeline")
                name, point = named_first(before)
                if name != program.function:
                    continue
                named += 1
                os.environ["REPEATS"] = "1"
                bench.record([binary, *program.arguments])
                edited, _ = bench.analyze()
                figures.append((before["parallelism"], point["parallelism"], edited["parallelism"],
                                on_cpus(before), predicted_seconds(before, point), on_cpus(edited)))
            if named == 0:
                wrong += 1
                print(f"{program.name:<16} {program.function:<16} not named first, but {name}", flush=True)
                continue
            middle = [statistics.median(column) for column in zip(*figures)]
            errors = [middle[1] / middle[2] - 1, middle[4] / middle[5] - 1]
            wrong += named < arguments.runs or max(abs(error) for error in errors) > 0.1
            print(f"{program.name:<16} {program.function:<16} {named:>4}/{arguments.runs} {middle[0]:>7.2f} {middle[1]:>8.2f} "
                  f"{middle[2]:>7.2f} {100 * errors[0]:>+6.1f}%   {middle[3]:>6.2f} {middle[4]:>8.2f} {middle[5]:>7.2f} "
                  f"{100 * errors[1]:>+6.1f}%", flush=True)
    return 1 if arguments.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
