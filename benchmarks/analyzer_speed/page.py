#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Size of the page of tp-report, what it takes to write it, and to draw it in Chromium.

    benchmarks/analyzer_speed/page.py [--build DIR] [--steps N,N..] [--shape NAME]

Times to draw: the fastest, the median and the slowest of five. The recordings are removed at the end.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--steps", default="100000,10000000,100000000", help="numbers of steps, by commas")
    parser.add_argument("--shape", default="nested_loops")
    args = parser.parse_args()
    environment = {**os.environ, "TP_NODE_MODULES": str(args.build / "tests/web"),
                   "TP_CHROMIUM": shutil.which("chromium") or "/usr/bin/chromium"}
    print(f"{'steps':>11} {'trace MB':>9} {'cpu s':>8} {'peak MB':>9} {'page kB':>8}  ms to draw")
    with tempfile.TemporaryDirectory() as scratch:
        for steps in args.steps.split(","):
            trace, page = pathlib.Path(scratch) / "data", pathlib.Path(scratch) / "page.html"
            subprocess.run([args.build / "benchmarks/analyzer_speed/record_shape", args.shape, steps], check=True,
                           env={**os.environ, "TP_DATA": str(trace)})
            size = sum(file.stat().st_size for file in trace.glob("*.tps"))
            child = subprocess.Popen([args.build / "analyzer/tp-report", "-q", "-o", page, trace])
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode != 0:
                raise SystemExit(f"tp: error: tp-report: expected status 0, got {child.returncode}")
            ready = subprocess.run(["node", ROOT / "tests/web/ready.mjs", page], env=environment, check=True,
                                   stdout=subprocess.PIPE, text=True).stdout.split()[1:]
            print(f"{steps:>11} {size / 1e6:9.1f} {used.ru_utime + used.ru_stime:8.2f} {used.ru_maxrss / 1e3:9.1f} "
                  f"{page.stat().st_size / 1e3:8.0f}  {ready[0]}, {ready[2]}, {ready[4]}", flush=True)
            shutil.rmtree(trace)


if __name__ == "__main__":
    main()
