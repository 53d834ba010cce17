#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The effect of tp-c++ on the build of a project: sites found, CPU time, messages.

    benchmarks/build_time/tagging.py BUILD_DIR... [--pairs N] [--only REGEX] [--prefix DIR]

Each BUILD_DIR contains a compile_commands.json. Each unit that matches REGEX is compiled in turn
(A B A B ...) by the real compiler ($TP_CXX, default c++) against Taskpath's headers, and by tp-c++.
The ratio is that of the CPU times (user and system), summed over the units, pair by pair. Without
pairs (--pairs 0) the sites are only counted.
"""
import argparse
import json
import os
import re
import resource
import shlex
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def cpu_of(command, directory):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def messages(done):
    return [line for line in done.stderr.splitlines() if re.match(r"[^ ].*:\d+:\d+: (warning|error)", line)]


def sites_of(tool, unit, arguments):
    """{site: how tp-c++ names it: by a tag in the text, by a note, or not at all}"""
    command = [tool, "-q", "--list-sites", unit["file"], "--", *arguments]
    listed = subprocess.run(command, cwd=unit["directory"], capture_output=True, text=True)
    sites = {}
    for line in listed.stdout.splitlines():
        place, rest = line.split("  ", 1)
        file, at = place.split(":", 1)
        path = os.path.realpath(os.path.join(unit["directory"], file))
        own = path == os.path.realpath(os.path.join(unit["directory"], unit["file"]))
        how = "not named" if "  not named: " in rest else "tag" if own and rest.endswith("  explicit") else "note"
        sites[f"{path}:{at}"] = how
    return sites


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("build_dir", nargs="+")
    options.add_argument("--pairs", type=int, default=3)
    options.add_argument("--only", default="")
    options.add_argument("--prefix", default=os.path.join(ROOT, "build/release/stage"))
    options = options.parse_args()
    units = []
    for folder in options.build_dir:
        with open(os.path.join(folder, "compile_commands.json")) as file:
            units += [unit for unit in json.load(file) if re.search(options.only, unit["file"])]
    tool = os.path.join(options.prefix, "bin/tp-c++")
    if not units or not os.path.exists(tool):
        sys.exit("tp: error: no units to compile, or no tp-c++ in the prefix\nhint: --prefix DIR, --only REGEX")
    compiler = shlex.split(os.environ.get("TP_CXX") or "c++")
    sites, plain, ours, untagged, other_messages, failed = {}, [0.0] * options.pairs, [0.0] * options.pairs, 0, 0, 0
    for unit in units:
        arguments = shlex.split(unit["command"])[1:]
        sites.update(sites_of(os.path.join(options.prefix, "bin/tp-rewrite"), unit, arguments))
        for pair in range(options.pairs):
            seconds, stock = cpu_of([*compiler, "-isystem", f"{options.prefix}/include", *arguments], unit["directory"])
            plain[pair] += seconds
            seconds, tagged = cpu_of([tool, *arguments], unit["directory"])
            ours[pair] += seconds
            untagged += pair == 0 and ": compiled untagged: " in tagged.stderr
            other_messages += pair == 0 and messages(stock) != messages(tagged)
            failed += pair == 0 and (stock.returncode == 0) != (tagged.returncode == 0)
    ratios = [b / a for a, b in zip(plain, ours)] or [0.0]
    count = {how: list(sites.values()).count(how) for how in ("tag", "note", "not named")}
    print("units  failed  untagged  other messages  tags  notes  not named  plain CPU s  ratio  spread")
    print(f"{len(units):5}  {failed:6}  {untagged:8}  {other_messages:14}  {count['tag']:4}  {count['note']:5}  "
          f"{count['not named']:9}  {statistics.median(plain or [0.0]):11.1f}  {statistics.median(ratios):5.2f}  "
          f"{min(ratios):.2f}-{max(ratios):.2f}")


if __name__ == "__main__":
    main()
