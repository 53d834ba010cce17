#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of looking at the clock between the iterations of a loop over an index.

    benchmarks/overhead/index_loops/run.py [--prefix DIR] [--pairs N]

One program, compiled with the distribution's oneTBB, and with our headers (way 2), which records or
does not (TP_DISABLE=1). The three run in turn. Ratios of CPU times of the loop: medians with their
quartiles."""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "benchmarks")]
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure

LOOPS = ((100_000_000, 0), (20_000_000, 10), (3_000_000, 100), (30_000, 10_000))


def seconds(program, loop, **variables):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TP_")}
    output = subprocess.run([program, *map(str, loop)], env=dict(inherited, **variables), check=True, capture_output=True,
                            text=True).stdout
    return float(output.split()[0])


def with_quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.2f} ({low:.2f}-{high:.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default=f"{ROOT}/build/release/stage")
    parser.add_argument("--pairs", type=int, default=15)
    options = parser.parse_args()
    prefix = measure.find_prefix(options.prefix)
    with tempfile.TemporaryDirectory() as work:
        stock, ours = f"{work}/stock", f"{work}/ours"
        flags = [subprocess.run([f"{prefix}/bin/tp-config", option], check=True, capture_output=True, text=True).stdout.split()
                 for option in ("--cflags", "--libs")]
        compile_loop = ["g++", "-O2", f"{HERE}/loop.cpp"]
        subprocess.run([*compile_loop, "-o", stock, "-ltbb"], check=True)
        subprocess.run([*compile_loop, *flags[0], "-o", ours, *flags[1]], check=True)
        rows = [["iterations", "ns each, stock", "off", "on"]]
        for loop in LOOPS:
            times = {"stock": [], "off": [], "on": []}
            for _ in range(options.pairs):
                times["stock"].append(seconds(stock, loop))
                times["off"].append(seconds(ours, loop, TP_DISABLE="1"))
                times["on"].append(seconds(ours, loop, TP_DATA=f"{work}/data"))
            each = statistics.median(times["stock"]) / loop[0] * 1e9
            ratios = (with_quartiles(measure.ratios(times[way], times["stock"])) for way in ("off", "on"))
            rows.append([str(loop[0]), f"{each:.1f}", *ratios])
        print(measure.text_table(rows))


main()
