#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what-if with reality: profiles programs before and after parallelizing a serial part.

    benchmarks/accuracy/case_studies/run.py [--prefix DIR] [--programs DIR] [--event EVENT]
                                            [--size N] [--runs N] [--check]

The profile of *before*, without its causal regions, must name the serial code by the lines of the
loops around it; with the regions made 16 times faster, it must predict the parallelism of *after*.
The table goes to stdout. --check: exit status 1 unless every program's serial code is named
correctly and its prediction is within 10 percent.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PROGRAMS = ["spanning_forest", "convex_hull", "triangulation", "refinement", "option_pricing"]
PARTS = 16  # that `after` divides each serial part into (case_study.h)


def profile(options, name, version, folder):
    arguments = [f"{options.programs}/{name}", version] + ([str(options.size)] if options.size else [])
    subprocess.run([f"{options.prefix}/bin/tp-run", "-q", "-o", folder, "-e", options.event, "--"] + arguments,
                   check=True, stdout=subprocess.DEVNULL)
    result = subprocess.run([f"{options.prefix}/bin/tp-analyze", "-q", "-o", f"{folder}.out", "--factors", str(PARTS), "--json", "-",
                             folder], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(result.stdout)


def expected_lines(name):
    """{(line of the loop before, line of the loop after)} of each region; line 0: program end."""
    places = {}
    for number, line in enumerate(open(f"{HERE}/{name}.cpp"), 1):
        for side, region in re.findall(r"\b(before|after): (\w+(?: \w+)*)", line.partition("//")[2]):
            if "parallel_for(" in line:
                places.setdefault(region, {})[side] = number
    return {(place["before"], place.get("after", 0)) for place in places.values()}


def named_lines(before):
    """The same for the code segments that gain most: as many as there are regions."""
    stretches = [t for t in before["what_if"]["explored"] if t["kind"] == "stretch"]
    return {(t["from_line"], t["to_line"]) for t in stretches[:len(before["regions"])]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prefix", default=os.path.join(ROOT, "build/release/stage"), help="where Taskpath is installed")
    parser.add_argument("--programs", help="folder of the programs (default: that of the build tree)")
    parser.add_argument("--event", default="auto", help="what counts as work, as for tp-run")
    parser.add_argument("--size", type=int, help="of each program")
    parser.add_argument("--runs", type=int, default=1, help="of each version; the median is shown (default 1)")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    options.programs = options.programs or os.path.join(os.path.dirname(options.prefix), "benchmarks/accuracy/case_studies")
    wrong = 0
    print(f"{'program':<16} {'serial code between lines':<26} {'named':<6} {'before':>7} {'what if':>8} {'after':>7} {'off by':>7}")
    for name in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            befores, afters = ([profile(options, name, version, f"{folder}/{version}{run}") for run in range(options.runs)]
                               for version in ("before", "after"))
        expected, named = expected_lines(name), named_lines(befores[0])
        parallelism = statistics.median(p["parallelism"] for p in befores)
        predicted = statistics.median(p["what_if"]["curves"][0]["points"][0]["parallelism"] for p in befores)
        after = statistics.median(p["parallelism"] for p in afters)
        error = predicted / after - 1
        wrong += named != expected or abs(error) > 0.1
        places = ", ".join(f"{a}-{b or 'end'}" for a, b in sorted(expected))
        print(f"{name:<16} {places:<26} {'yes' if named == expected else f'no: {sorted(named)}':<6} "
              f"{parallelism:>7.2f} {predicted:>8.2f} {after:>7.2f} {100 * error:>+6.1f}%")
    return 1 if options.check and wrong else 0


sys.exit(main())
