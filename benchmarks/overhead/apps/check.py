#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the small size of each benchmark program under tp-run, and its serial elision.

    check.py --programs DIR --prefix PREFIX

Each must verify its result, and the profile must report how much of the CPU time it attributes.
"""
import argparse
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure


def check_elision(program):
    run = measure.Run([program, "--small"], dict(os.environ))
    return [] if run.status == 0 and run.output.endswith(", ok\n") else [f"serial: status {run.status}: {run.output.strip()}"]


def check_profiled(prefix, program, folder):
    recording = measure.Recording(prefix, folder)
    run = measure.Run([f"{prefix}/bin/tp-run", "-o", folder, program, "--small"], dict(os.environ))
    if run.status != 0 or ", ok\n" not in run.output:
        return [f"status {run.status}: {run.output.strip()}"]
    profile, message = recording.analyze()
    if profile is None:
        return [message]
    problems = []
    if not profile["complete"] or profile["trace"]["tasks_begun"] == 0:
        problems.append(f"complete: {profile['complete']}, tasks: {profile['trace']['tasks_begun']}")
    if not 0 < profile["attribution"]["percent"] < 150:  # above 100: time of a hypervisor, which CPU time excludes
        problems.append(f"attributed: {profile['attribution']['percent']} %")
    text = subprocess.run([f"{prefix}/bin/tp-analyze", "-v", "-o", folder, folder], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout
    if "\nAttributed " not in text:
        problems.append(f"no line Attributed in the profile:\n{text}")
    return problems


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--programs", required=True)
    options.add_argument("--prefix", required=True)
    options = options.parse_args()
    names = sorted(os.listdir(options.programs))
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            program = os.path.join(options.programs, name)
            problems = (check_elision(program) if name.endswith(".serial") else
                        check_profiled(options.prefix, program, os.path.join(folder, name)))
            failures += bool(problems)
            for problem in problems:
                print(f"FAILED: {name}: {problem}")
    print(f"{len(names)} programs, {failures} failures")
    return 1 if failures or not names else 0


if __name__ == "__main__":
    sys.exit(main())
