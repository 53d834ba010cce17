#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a library of ours with the distribution's, as seen by a program linked with the latter.

    libraries.py STOCK OURS [--same-version]

OURS must export every symbol that STOCK exports, with the same version, type and binding; data with
the same size. The SONAME must be the same, and OURS must not need a library that STOCK does not
need. With --same-version (of oneTBB) OURS may add only tp_* to the exports; without it, weak and
global bindings are equivalent: the dynamic linker treats them equally, and the binding depends on
whether libtbb is optimized as a whole. Prints one line per difference; exit status 1 if there is
any.
"""
import argparse
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("stock")
parser.add_argument("ours")
parser.add_argument("--same-version", action="store_true")
options = parser.parse_args()
DATA = ("OBJECT", "TLS")


def read_elf(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments], check=True, capture_output=True, text=True).stdout.splitlines()


def exports(library):
    """{name with version: (type, binding, visibility[, size of data])}"""
    found = {}
    for line in read_elf("--dyn-syms", library):
        word = line.split()
        if len(word) < 8 or not word[0].rstrip(":").isdigit() or word[6] == "UND":
            continue
        _, _, size, kind, binding, visibility, _, name = word[:8]
        if not options.same_version and binding == "WEAK":
            binding = "GLOBAL"
        found[name] = (kind, binding, visibility) + ((int(size, 0),) if kind in DATA else ())
    return found


def dynamic(library):
    """{tag: values}, for the tags that name something."""
    found = {"SONAME": set(), "NEEDED": set()}
    for line in read_elf("--dynamic", library):
        for tag, values in found.items():
            if f"({tag})" in line:
                values.add(line[line.index("[") + 1:line.rindex("]")])
    return found


def compare():
    stock, ours = exports(options.stock), exports(options.ours)
    if not stock:
        yield f"{options.stock}: no exported symbol"
    for name, what in stock.items():
        if name not in ours:
            yield f"{name}: expected {what}, got none"
        elif ours[name] != what:
            yield f"{name}: expected {what}, got {ours[name]}"
    if options.same_version:
        for name in ours:
            if name not in stock and not name.startswith("tp_"):
                yield f"{name}: expected nothing but tp_* to be added"
    stock, ours = dynamic(options.stock), dynamic(options.ours)
    if stock["SONAME"] != ours["SONAME"]:
        yield f"SONAME: expected {stock['SONAME']}, got {ours['SONAME']}"
    for name in ours["NEEDED"] - stock["NEEDED"]:
        yield f"needs {name}: the distribution's does not"


differences = list(compare())
for line in differences:
    print(line)
print(f"{len(exports(options.stock))} symbols compared, {len(differences)} differences")
sys.exit(bool(differences))
