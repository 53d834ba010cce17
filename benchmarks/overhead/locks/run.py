#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of acquiring and releasing a lock, for each kind of lock.

    benchmarks/overhead/locks/run.py [--prefix DIR] [--rounds N] [--pairs N] [--kind NAME]

One program, compiled with the distribution's oneTBB, and with our headers (way 2), which runs with --locks=off, auto and
all. The four run in turn. Nanoseconds per pair of the stock program, and what each adds to that: medians with quartiles.
One thread: not contended. Two: both want the same lock. `clock` is what two readings of this machine's clock take."""
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

KINDS = ("spin_mutex", "mutex", "queuing_mutex", "spin_rw_mutex", "spin_rw_mutex_read", "rw_mutex", "queuing_rw_mutex",
         "hash_map_accessor", "std_mutex", "std_shared_mutex_read")
WAYS = ("off", "auto", "all")


def with_quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:+.1f} ({low:+.1f} to {high:+.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default=f"{ROOT}/build/release/stage")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this kind")
    options = parser.parse_args()
    prefix = measure.find_prefix(options.prefix)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TP_")}

    with tempfile.TemporaryDirectory() as work:
        stock, ours = f"{work}/stock", f"{work}/ours"
        flags = [subprocess.run([f"{prefix}/bin/tp-config", option], check=True, capture_output=True, text=True).stdout.split()
                 for option in ("--cflags", "--libs")]
        compile_pairs = ["g++", "-std=c++17", "-O2", "-g", f"{HERE}/pairs.cpp"]
        subprocess.run([*compile_pairs, "-o", stock, "-ltbb"], check=True)
        subprocess.run([*compile_pairs, *flags[0], "-o", ours, *flags[1]], check=True)

        def nanoseconds(*command):
            output = subprocess.run(command, env=inherited, check=True, capture_output=True, text=True).stdout
            return float(output.split()[0])

        rows = [["lock", "threads", "stock ns", *WAYS]]
        for kind in options.kind or KINDS:
            for threads in (1, 2):
                pairs = options.pairs if threads == 1 else options.pairs // 5
                times, added = [], {way: [] for way in WAYS}
                for _ in range(options.rounds):
                    words = (kind, str(pairs), str(threads))
                    times.append(nanoseconds(stock, *words))
                    for way in WAYS:
                        run = (f"{prefix}/bin/tp-run", "-q", "-o", f"{work}/data", f"--locks={way}", "--", ours, *words)
                        added[way].append(nanoseconds(*run) - times[-1])
                rows.append([kind, str(threads), f"{statistics.median(times):.1f}",
                             *(with_quartiles(added[way]) for way in WAYS)])
        print(measure.text_table(rows))


main()
