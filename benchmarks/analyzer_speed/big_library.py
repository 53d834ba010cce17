#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long tp-analyze takes to name the sites of a library of any size.

    benchmarks/analyzer_speed/big_library.py [--units N] [--functions N] [--clang] [--strip-debug] [--keep DIR]
                                             [--prefix DIR] [--analyzer FILE...]

Builds a shared library of N units (default 220) of as many functions each (default 2000), with debug
information, and a program that spawns tasks in a thousand places of a hundred units. Records it, and
analyzes the recording three times with each analyzer: CPU seconds, the best of three. The units are
compiled once, and copied under other names in assembly.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "benchmarks")]
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure

SPAWNING = 10  # functions of a unit that spawn a task
CALLED = 100  # units that the program calls


def unit(functions):
    text = """#include <oneapi/tbb/task_group.h>
namespace unit0000 {
template <int N> struct Shape { long value[N]; };
template <int N> __attribute__((noinline)) long area(const Shape<N>& shape, long start) {
  long result = start;
  for (long each : shape.value) result = result * 31 + each;
  return result;
}
"""
    for i in range(functions):
        text += f"long part{i}(long n) {{ Shape<{i % 16 + 1}> shape{{{{n}}}}; return area(shape, {i}); }}\n"
    for i in range(SPAWNING):
        text += f"void spawn{i}(tbb::task_group& group) {{ group.run([] {{ part{i}({i}); }}); }}\n"
    return text + "}\n"


def program(units):
    text = "#include <oneapi/tbb/task_group.h>\n"
    calls = ""
    for u in range(min(CALLED, units)):
        names = [f"spawn{i}" for i in range(SPAWNING)]
        text += f"namespace unit{u:04} {{ " + " ".join(f"void {name}(tbb::task_group&);" for name in names) + " }\n"
        calls += "".join(f"    unit{u:04}::{name}(group);\n" for name in names)
    text += "int main() {\n  tbb::task_group group;\n  for (int i = 0; i < 100; ++i) {\n"
    return text + calls + "  }\n  group.wait();\n}\n"


def run(folder, *command):
    subprocess.run(command, cwd=folder, check=True)


def build_library(folder, options):
    compiler = "clang++-19" if options.clang else "c++"
    with open(f"{folder}/unit.cpp", "w") as file:
        file.write(unit(options.functions))
    flags = ["-fno-addrsig"] if options.clang else []  # GNU as does not know its directives
    run(folder, compiler, "-std=c++17", "-O1", "-g", "-fPIC", "-fno-exceptions", *flags, "-S", "unit.cpp", "-o", "unit.s")
    with open(f"{folder}/unit.s") as file:
        assembly = file.read()
    for number in range(options.units):
        with open(f"{folder}/one.s", "w") as file:
            file.write(assembly.replace("unit0000", f"unit{number:04}"))
        run(folder, "as", "one.s", "-o", f"{number}.o")
    run(folder, compiler, "-shared", "-o", "libbig.so", *(f"{number}.o" for number in range(options.units)), "-ltbb")
    if options.strip_debug:
        run(folder, "strip", "-g", "libbig.so")
    for number in range(options.units):
        os.remove(f"{folder}/{number}.o")


def build_program(folder, units):
    with open(f"{folder}/program.cpp", "w") as file:
        file.write(program(units))
    run(folder, "c++", "-std=c++17", "-O1", "program.cpp", "-o", "program", "-L.", "-lbig", "-ltbb", "-Wl,-rpath," + folder)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--units", type=int, default=220)
    options.add_argument("--functions", type=int, default=2000)
    options.add_argument("--clang", action="store_true", help="compile by clang, which writes no .debug_aranges")
    options.add_argument("--strip-debug", action="store_true", help="leave symbols only")
    options.add_argument("--keep", help="a folder for library and recording; a library that is there is used again")
    options.add_argument("--prefix", default=os.path.join(ROOT, "build/release/stage"), help="where Taskpath is installed")
    options.add_argument("--analyzer", nargs="*", help="tp-analyze, of several versions")
    options = options.parse_args()
    prefix = measure.find_prefix(options.prefix)
    analyzers = options.analyzer or [f"{prefix}/bin/tp-analyze"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.abspath(options.keep or temporary)
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(f"{folder}/libbig.so"):
            build_library(folder, options)
        build_program(folder, options.units)
        recording = f"{folder}/data"
        subprocess.run([f"{prefix}/bin/tp-run", "-q", "-o", recording, "--", f"{folder}/program"], check=True)
        sizes = [os.path.getsize(os.path.join(recording, name)) for name in os.listdir(recording)]
        symbols = subprocess.run(["nm", f"{folder}/libbig.so"], stdout=subprocess.PIPE, check=True).stdout.count(b"\n")
        print(f"library {os.path.getsize(f'{folder}/libbig.so') / 2**20:.0f} MiB, {symbols} symbols; "
              f"recording {sum(sizes) / 2**20:.2f} MiB")
        for analyzer in analyzers:
            runs = [measure.Run([analyzer, "-q", "--explore", "never", "--simulate", "never", "-d", recording,
                                 "-o", f"{folder}/out", "--json", f"{folder}/profile.json"], os.environ) for _ in range(3)]
            if any(run.status for run in runs):
                sys.exit(runs[0].output)
            with open(f"{folder}/profile.json") as file:
                sites = json.load(file)["sites"][1:]
            found = sorted({kind for site in sites for kind in site["found_by"]})
            print(f"{analyzer}: {min(run.cpu for run in runs):.2f} s CPU, {min(run.wall for run in runs):.2f} s, "
                  f"{len(sites)} sites found by {' '.join(found)}")


if __name__ == "__main__":
    main()
