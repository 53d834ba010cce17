# SPDX-License-Identifier: Apache-2.0
"""Builds, records and analyzes the programs of this folder."""
import json
import os
import resource
import subprocess


class Bench:
    def __init__(self, prefix, folder):
        self.prefix, self.folder = prefix, folder

    def build(self, source, *options, libraries=()):
        program = os.path.join(self.folder, os.path.splitext(os.path.basename(source))[0])
        subprocess.run(["c++", "-std=c++17", "-O2", "-g", *options, source, "-o", program, f"-I{self.prefix}/include",
                        f"-L{self.prefix}/lib", *libraries, "-ltbb"], check=True)
        return program

    def record(self, command, sample="1000"):
        """The program's stdout, and the CPU time of the whole run in seconds. `sample`: None: the default."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        rate = ["--sample", sample] if sample else []
        done = subprocess.run([f"{self.prefix}/bin/tp-run", "-q", *rate, "-o", f"{self.folder}/data", "--", *command], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def analyze(self, *options):
        """The profile, and its functions by their short names."""
        name = f"{self.folder}/profile.json"
        subprocess.run([f"{self.prefix}/bin/tp-analyze", "-q", "--json", name, "-o", self.folder, *options, f"{self.folder}/data"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(name, encoding="utf-8") as file:
            profile = json.load(file)
        functions = {}
        for row in profile["functions"]:
            functions.setdefault(row["short_name"], row)
        return profile, functions
