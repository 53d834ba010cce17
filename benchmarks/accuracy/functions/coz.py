#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Coz (Debian's coz-profiler) says about the programs of edited.py, which of their functions is replaced there.

    benchmarks/accuracy/functions/coz.py [--seconds N] [--only NAME,...] [--prefix DIR]

The programs run once from begin to end, so Coz makes one experiment per run (coz run --end-to-end): one line, one
speedup. For each program it gets N seconds of such runs; then the lines that it tried, the line with most experiments,
and the predicted gain, in percent of the time, of speeding up lines of the edited function by three quarters or the nearest
speedup that it tried. True is the gain of the edited program (a quarter of the function's time), without any profiler.
Taskpath: the same from one recording.
"""
import argparse
import collections
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from bench import Bench
from edited import FACTOR, PROGRAMS, ROOT, named_first, predicted_seconds


def elapsed(command, repeats):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "REPEATS": str(repeats)})
    return time.monotonic() - begin


def function_lines(source, function):
    """First and last line of the function's definition."""
    with open(source, encoding="utf-8") as file:
        lines = file.read().split("\n")
    name = re.escape(function.rsplit("::", maxsplit=1)[-1])
    begin = next(i for i, line in enumerate(lines) if re.search(rf"\b{name}\(", line) and not line.rstrip().endswith(";"))
    indent = len(lines[begin]) - len(lines[begin].lstrip())
    end = next(i for i in range(begin, len(lines)) if lines[i].startswith(" " * indent + "}"))
    return begin + 1, end + 1


def experiments(path):
    """Of each run: file, line, speedup and duration in seconds."""
    found = []
    if not os.path.exists(path):
        return found
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"experiment\tselected=(.*):(\d+)\tspeedup=([\d.]+)\tduration=(\d+)", line)
            if match:
                found.append((os.path.basename(match[1]), int(match[2]), float(match[3]), int(match[4]) / 1e9))
    return found


def run_coz(program, arguments, folder, seconds):
    output, begin, runs = f"{folder}/profile.coz", time.monotonic(), 0
    while time.monotonic() - begin < seconds:
        subprocess.run(["coz", "run", "--end-to-end", "-o", output, "---", program, *arguments], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "REPEATS": str(FACTOR)})
        runs += 1
    return runs, time.monotonic() - begin, experiments(output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default=f"{ROOT}/build/release/stage", help="an installed Taskpath")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--only", help="names of programs, separated by commas")
    options = parser.parse_args()
    if shutil.which("coz") is None:
        sys.exit("tp: error: coz: not found\nhint: apt install coz-profiler")
    for program in PROGRAMS:
        if options.only and program.name not in options.only.split(","):
            continue
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(os.path.abspath(options.prefix), folder)
            copy = f"{folder}/{program.name}.cpp"
            program.write(copy)
            # It cannot read what g++ 12 writes by default.
            binary = bench.build(copy, f"-I{os.path.dirname(program.source)}", "-gdwarf-3", "-gstrict-dwarf", "-ldl")
            command = [binary, *program.arguments]
            pairs = [(elapsed(command, FACTOR), elapsed(command, 1)) for _ in range(7)]
            before, after = (statistics.median(column) for column in zip(*pairs))
            begin = time.monotonic()
            os.environ["REPEATS"] = str(FACTOR)
            bench.record(command)
            profile, _ = bench.analyze("--what-if-mode", "optimize", "--factors", str(FACTOR), "--timeline")
            seconds = time.monotonic() - begin
            name, point = named_first(profile)
            now = profile["run_check"]["predicted_ns"] / 1e9
            own = f"{100 * (1 - predicted_seconds(profile, point) / now):.1f} %" if point else "no gain predicted"
            print(f"{program.name:<16} {program.function:<16} true gain {100 * (1 - after / before):5.1f} %\n"
                  f"    Taskpath: 1 run, {seconds:.1f} s: {name}, {own}")
            runs, seconds, found = run_coz(binary, program.arguments, folder, options.seconds)
            first, last = function_lines(copy, program.function)
            lines = collections.Counter((file, line) for file, line, _, _ in found)
            base = [duration for _, _, speedup, duration in found if speedup == 0]
            inside = [(line, speedup, duration) for file, line, speedup, duration in found
                      if file == os.path.basename(copy) and first <= line <= last]
            of_function = len({line for line, _, _ in inside})
            tried = (f"{len(found)} experiments on {len(lines)} lines, of which {of_function} ({len(inside)} experiments) are of "
                     f"{program.function}")
            if lines:
                (file, line), count = lines.most_common(1)[0]
                tried += f"; most often {file}:{line} ({count})"
            print(f"    Coz: {runs} runs, {seconds:.0f} s: {tried}")
            high = [duration for _, speedup, duration in inside if speedup >= 0.6]
            if base and high:
                gain = 100 * (1 - statistics.median(high) / statistics.median(base))
                print(f"    Coz: {len(base)} runs without a speedup {statistics.median(base):.3f} s ({min(base):.3f} to {max(base):.3f}), "
                      f"{len(high)} with 60 % or more in the function {statistics.median(high):.3f} s ({min(high):.3f} to "
                      f"{max(high):.3f}): gain {gain:.1f} %")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
