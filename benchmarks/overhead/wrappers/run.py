#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of a spawn through a wrapper: instructions, and ns of CPU time.

    benchmarks/overhead/wrappers/run.py [--libraries NAME=FOLDER,...] [--pairs N] [--rounds N]

Runs one program in turn on the distribution's library and on each of the given ones (default: ours
of build/release/stage), which record. Times are medians over all rounds, with the quartiles, and
`more` is the median, over rounds at the same place of a pair, of what a spawn through the wrapper
takes more than a direct one, with its quartiles. Instructions are those that callgrind counts while
spawning, with the virtual clock. To compare with an earlier state, build its target tbb and give
the folder of its library."""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "benchmarks")]
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure

KINDS = ("direct", "wrapper", "two_wrappers", "four_callers")


def environment(folder, data, event):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TP_")}
    if folder:
        inherited.update(LD_LIBRARY_PATH=folder, TP_DATA=data, TP_EVENT=event)
    return inherited


def times(program, folder, work, rounds):
    output = subprocess.run([program, str(rounds)], env=environment(folder, f"{work}/data", "auto"), check=True,
                            capture_output=True, text=True).stdout
    found = {kind: [] for kind in KINDS}
    for line in output.splitlines():
        kind, ns = line.split()
        found[kind].append(float(ns))
    return found


def instructions(program, folder, work, kind):
    """Per spawn; of many rounds less those of few, since the first spawns learn."""
    counts = []
    for rounds in (1, 6):
        subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={work}/out", "--toggle-collect=*spawn_all*",
                        program, str(rounds), kind], env=environment(folder, f"{work}/data", "virtual"), check=True,
                       capture_output=True)
        with open(f"{work}/out") as file:
            counts.append(int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.M)[1]))
    return (counts[1] - counts[0]) / (5 * 2000)


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.0f} ({low:.0f}-{high:.0f})"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--libraries", default="", help="NAME=FOLDER of a libtbb.so.12, separated by commas")
    options.add_argument("--pairs", type=int, default=7, help="runs of each library (default 7)")
    options.add_argument("--rounds", type=int, default=40, help="rounds in a run (default 40)")
    options = options.parse_args()
    libraries = {"stock": ""}
    if options.libraries:
        libraries.update(each.split("=", 1) for each in options.libraries.split(","))
    else:
        libraries["ours"] = os.path.join(measure.find_prefix(os.path.join(ROOT, "build/release/stage")), "lib")
    with tempfile.TemporaryDirectory() as work:
        program = f"{work}/spawns"
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-O2", "-g", f"{HERE}/spawns.cpp", "-o", program, "-ltbb"],
                       check=True)
        found = {name: {kind: [] for kind in KINDS} for name in libraries}
        for _ in range(options.pairs):
            for name, folder in libraries.items():
                for kind, values in times(program, folder, work, options.rounds).items():
                    found[name][kind] += values
        rows = [("library", "spawns", "ns (quartiles)", "more than direct", "instructions")]
        for name, folder in libraries.items():
            for kind in KINDS:
                more = [b - a for a, b in zip(found[name]["direct"], found[name][kind])]
                rows.append((name, kind, quartiles(found[name][kind]), "" if kind == "direct" else quartiles(more),
                             f"{instructions(program, folder, work, kind):.0f}"))
    print(measure.text_table(rows))


if __name__ == "__main__":
    main()
