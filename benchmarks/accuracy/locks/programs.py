# SPDX-License-Identifier: Apache-2.0
"""Programs of this folder, built and run: as their users have them, and recorded.

What a prediction is compared with is the program built with the distribution's oneTBB (libtbb-dev) and nothing of ours:
a program linked with our libtbb records without tp-run as well.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def output(command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


class Program:
    """A source file of this folder, built twice in `folder`."""

    def __init__(self, name, prefix, folder):
        self.prefix, self.folder = prefix, os.path.abspath(folder)
        self.ours, self.stock = f"{self.folder}/{name}", f"{self.folder}/{name}_stock"
        self.empty = f"{self.folder}/nothing_is_left_here"
        os.makedirs(self.empty, exist_ok=True)
        flags = [output([f"{prefix}/bin/tp-config", option]).split() for option in ("--cflags", "--libs")]
        build = ["g++", "-std=c++17", "-O2", "-g", f"{HERE}/{name}.cpp"]
        subprocess.run([*build, *flags[0], "-o", self.ours, *flags[1]], check=True)
        subprocess.run([*build, "-o", self.stock, "-ltbb", "-pthread"], check=True)
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("TP_") and name not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
        libraries = output(["ldd", self.stock], env=self.environment)
        if self.prefix in libraries:
            sys.exit(f"tp: error: {self.stock}: expected the distribution's libtbb, got\n{libraries}")
        # The fastest of three: what else runs makes some measurements too slow.
        self.rate = max((self.unrecorded([]).strip() for _ in range(3)), key=float)

    def unrecorded(self, arguments, before=()):
        """What the stock program prints; ends this process if a recording was left."""
        printed = output([*before, self.stock, *arguments], env=self.environment, cwd=self.empty)
        if left := os.listdir(self.empty):
            sys.exit(f"tp: error: {self.stock}: expected a run that is not recorded, got {', '.join(left)} in {self.empty}")
        return printed

    def recorded(self, arguments, data, before=()):
        """What the program prints while tp-run records it in the folder `data`."""
        return output([*before, f"{self.prefix}/bin/tp-run", "-q", "-o", os.path.abspath(data), "--", self.ours, *arguments],
                      env=self.environment, cwd=self.folder)
