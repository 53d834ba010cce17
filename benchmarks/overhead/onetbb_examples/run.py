#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles the example programs of oneTBB's source package: programs that we did not write.

    benchmarks/overhead/onetbb_examples/run.py [--pairs N] [--only NAME[,NAME...]] [--prefix DIR]

The CMake file of each example configures it twice: with the system's compiler and the
distribution's oneTBB, and with tp-c++ and our oneTBB. The two run in turn, A B A B ...; the ratio
is that of wall times, pair by pair. The table goes to stdout.
"""
import argparse
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

# {name: (folder, arguments for about a second on two cores)}. {src}: the example's folder. Console
# versions, without a window. Left out: graph/dining_philosophers and parallel_for/polygon_overlay
# sleep (tests/compatibility/projects builds and runs them), and graph/cholesky needs Intel MKL,
# which Debian's main does not contain.
EXAMPLES = {
    "primes": ("parallel_reduce/primes", "silent 2 300000000 1000"),
    "convex_hull_bench": ("parallel_reduce/convex_hull", "silent 2 8000000"),
    "seismic": ("parallel_for/seismic", "2 600 silent"),
    "sudoku": ("task_group/sudoku", "2 {src}/input1 silent"),
    "game_of_life": ("parallel_for/game_of_life", "2:2 -t 3"),
    "tachyon": ("parallel_for/tachyon", "silent {src}/dat/balls.dat"),
    "fractal": ("task_arena/fractal", "2 1 1500 silent"),
    "parallel_preorder": ("parallel_for_each/parallel_preorder", "2 silent 20000 10"),
    "fgbzip2": ("graph/fgbzip2", "-b=9 -async fgbzip2"),
    "square": ("parallel_pipeline/square", "2 input.txt output.txt silent"),
    "fibonacci": ("test_all/fibonacci", "500 2 20"),
    "som": ("graph/som", ""),
    "binpack": ("graph/binpack", "2 elements_num=400 silent"),
    "logic_sim": ("graph/logic_sim", "2 silent"),
    "count_strings": ("concurrent_hash_map/count_strings", "2 1000000 silent"),
    "shortpath": ("concurrent_priority_queue/shortpath", "2 N=1000 start=0 end=999 silent"),
    "sub_string_finder_extended": ("getting_started/sub_string_finder", ""),
}


def configure(source, build, compiler, tbb_dir, log):
    command = ["cmake", "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
               "-DCMAKE_CXX_STANDARD=17", "-DEXAMPLES_UI_MODE=con", f"-DCMAKE_CXX_COMPILER={compiler}"]
    if tbb_dir:
        command.append(f"-DTBB_DIR={tbb_dir}")
    for step in (command, ["cmake", "--build", build, "-j2"]):
        if subprocess.run(step, stdout=log, stderr=log).returncode != 0:
            return False
    return True


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pairs", type=int, default=5, help="runs of each version (default 5)")
    options.add_argument("--only", default="", help="examples to run, separated by commas")
    options.add_argument("--prefix", default=os.path.join(ROOT, "build/release/stage"), help="where Taskpath is installed")
    options = options.parse_args()
    prefix = measure.find_prefix(options.prefix)
    build_tree = os.path.dirname(prefix)
    examples = os.path.join(build_tree, "onetbb/src/examples")
    if not os.path.isdir(examples) or not os.path.exists(f"{prefix}/bin/tp-c++"):
        sys.exit(f"tp: error: {prefix}: not an installed build of Taskpath\nhint: scripts/build")
    work = os.path.join(build_tree, "examples")
    os.makedirs(work, exist_ok=True)
    chosen = [name for name in options.only.split(",") if name] or list(EXAMPLES)

    header = ("program", "sites", "tasks", "work s", "span s", "parallelism", "divisible", "attributed %",
              "wall ratio", "spread")
    rows = [header]
    for name in chosen:
        folder, arguments = EXAMPLES[name]
        source = os.path.join(examples, folder)
        builds = {kind: os.path.join(work, folder.replace("/", "_") + "-" + kind) for kind in ("stock", "taskpath")}
        print(f"{name} ...", file=sys.stderr, flush=True)
        with open(os.path.join(work, name + ".log"), "w") as log:
            built = (configure(source, builds["stock"], "c++", "", log) and
                     configure(source, builds["taskpath"], f"{prefix}/bin/tp-c++", f"{prefix}/lib/cmake/TBB", log))
        if not built:
            rows.append((name, f"does not build: see {work}/{name}.log"))
            continue
        recording = measure.Recording(prefix, os.path.join(work, name + "-data"))
        arguments = arguments.format(src=source).split()
        pairs = [(measure.Run([f"{builds['taskpath']}/{name}", *arguments], recording.environment, builds["taskpath"]),
                  measure.Run([f"{builds['stock']}/{name}", *arguments], dict(os.environ), builds["stock"]))
                 for _ in range(options.pairs)]
        codes = {run.status for pair in pairs for run in pair}
        profile, message = recording.analyze()
        if profile is None or len(codes) != 1:
            rows.append((name, f"exit statuses {sorted(codes)} {message}"))
            continue
        ratios = measure.ratios(*zip(*((ours.wall, stock.wall) for ours, stock in pairs)))
        hz = measure.ticks_per_second(profile)
        rows.append((name, str(len(profile["sites"]) - 1), str(profile["trace"]["tasks_spawned"]),
                     f"{profile['work'] / hz:.3f}", f"{profile['span'] / hz:.4f}", str(profile["parallelism"]),
                     str(profile["divisible_parallelism"]), str(profile["attribution"]["percent"]),
                     f"{statistics.median(ratios):.2f}", measure.spread(ratios)))
    print(measure.text_table(rows))


if __name__ == "__main__":
    main()
