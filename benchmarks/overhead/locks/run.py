#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of acquiring and releasing a lock, for each kind of lock.

    benchmarks/overhead/locks/run.py [--prefix DIR] [--libomp FILE] [--rounds N] [--pairs N] [--kind NAME] [--threads N] [--ways auto]

One program, compiled with the distribution's oneTBB, and with our headers (way 2), which runs with --locks=off, auto and
all; for OpenMP's locks another one, of clang++, with and without tp-run. The four run in turn, without samples of stacks.
Nanoseconds per pair of the stock program, and what each adds to that: medians with quartiles; `auto/stock`: the median of
the quotients. --pairs 100000000 is a program of 10^8 empty sections. One thread: not contended. Two: both want the same
lock. OpenMP's locks need --libomp, of LLVM 16 or newer (scripts/fetch-libomp)."""
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

KINDS = ("spin_mutex", "mutex", "queuing_mutex", "spin_rw_mutex", "spin_rw_mutex_read", "rw_mutex", "rw_mutex_read",
         "queuing_rw_mutex", "hash_map_accessor", "hash_map_accessor_of_65536", "std_mutex", "std_recursive_mutex",
         "std_mutex_of_tasks", "std_mutex_of_16", "std_mutex_of_64", "std_mutex_of_1024", "std_mutex_of_65536", "std_shared_mutex",
         "std_shared_mutex_read", "pthread_spin", "own_lock", "priority_queue")
KINDS_OF_OPENMP = ("omp_critical", "omp_lock")
WAYS = ("off", "auto", "all")


def with_quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:+.1f} ({low:+.1f} to {high:+.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default=f"{ROOT}/build/release/stage")
    parser.add_argument("--libomp")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, choices=(1, 2), action="append", help="only with so many")
    parser.add_argument("--ways", default=",".join(WAYS), help="some of off,auto,all")
    parser.add_argument("--kind", choices=KINDS + KINDS_OF_OPENMP, action="append", help="only this kind")
    options = parser.parse_args()
    prefix = measure.find_prefix(options.prefix)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TP_")}
    kinds = options.kind or KINDS + (KINDS_OF_OPENMP if options.libomp else ())
    if not options.libomp and not set(kinds).isdisjoint(KINDS_OF_OPENMP):
        sys.exit("run.py: error: locks of OpenMP need --libomp\nhint: scripts/fetch-libomp")

    with tempfile.TemporaryDirectory() as work:
        stock, ours, openmp = f"{work}/stock", f"{work}/ours", f"{work}/openmp"
        flags = [subprocess.run([f"{prefix}/bin/tp-config", option], check=True, capture_output=True, text=True).stdout.split()
                 for option in ("--cflags", "--libs")]
        compile_pairs = ["g++", "-std=c++17", "-O2", "-g", f"-I{ROOT}/annotations/include", f"{HERE}/pairs.cpp"]
        subprocess.run([*compile_pairs, "-o", stock, "-ltbb"], check=True)
        subprocess.run([*compile_pairs, *flags[0], "-o", ours, *flags[1]], check=True)

        if options.libomp:
            folder = os.path.dirname(os.path.abspath(options.libomp))
            subprocess.run(["clang++-19", "-std=c++17", "-O2", "-g", "-fopenmp", f"-L{folder}", f"-Wl,-rpath,{folder}",
                            "-idirafter", f"{os.path.dirname(folder)}/lib/clang/19/include",
                            f"{HERE}/openmp_pairs.cpp", "-o", openmp], check=True)
            inherited.update({"TP_LIBOMP": os.path.abspath(options.libomp), "LD_LIBRARY_PATH": folder,
                              "OMP_WAIT_POLICY": "passive"})

        def nanoseconds(*command):
            output = subprocess.run(command, env=inherited, check=True, capture_output=True, text=True).stdout
            return float(output.split()[0])

        ways = options.ways.split(",")
        rows = [["lock", "threads", "stock ns", *ways, "auto/stock"]]
        for kind in kinds:
            programs = (openmp, openmp) if kind in KINDS_OF_OPENMP else (stock, ours)
            for threads in options.threads or (1, 2):
                pairs = options.pairs if threads == 1 else options.pairs // 5
                times, ratios, added = [], [], {way: [] for way in ways}
                for _ in range(options.rounds):
                    words = (kind, str(pairs), str(threads))
                    times.append(nanoseconds(programs[0], *words))
                    for way in ways:
                        run = (f"{prefix}/bin/tp-run", "-q", "-o", f"{work}/data", f"--locks={way}", "--sample=off", "--",
                               programs[1], *words)
                        with_us = nanoseconds(*run)
                        added[way].append(with_us - times[-1])
                        if way == "auto":
                            ratios.append(with_us / times[-1])
                rows.append([kind, str(threads), f"{statistics.median(times):.1f}",
                             *(with_quartiles(added[way]) for way in ways),
                             f"{statistics.median(ratios):.2f}" if ratios else "-"])
        print(measure.text_table(rows))


main()
