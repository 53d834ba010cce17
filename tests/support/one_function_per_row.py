#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no row of a profile has the tasks of two functions.

    tests/support/one_function_per_row.py PROFILE.json RECORDING

Independent of how tp-analyze names sites: a row's line must be a tag's or be on the stack of each of its sites, by
addr2line or llvm-symbolizer (addr2line misses calls that clang inlined), or be that of a jump from one function to
another, by objdump, which leaves nothing on a stack; where no line is known, the row has one function, the stacks of
all its sites have an address in common, and if only the types of their tasks are known, these are the same. No two rows
may have the same name, or the same file and line, unless different wrappers are called there, or they are filters with
different numbers, which have the place of another site. Modules that are gone, or that addr2line cannot read, are left
out. Exit status 1: two functions in a row; the rows are printed.
"""
import json
import os
import re
import shutil
import subprocess
import sys


def read_recording(folder):
    sites, modules = {}, {}
    with open(os.path.join(folder, "sites.jsonl"), encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                entry = json.loads(line)
            except ValueError:
                continue  # torn
            if entry.get("tag") == "filter":
                sites[entry["site"]] = sites[entry["of"]]
            elif "site" in entry:
                sites[entry["site"]] = entry
            elif "module" in entry:
                modules[entry["module"]] = entry
    return sites, modules


def stack_of(site):
    """With the code of an OpenMP construct, which is on no stack."""
    return site.get("code", []) + site.get("stack", [])


def with_regions(site, sites):
    """That of a loop of OpenMP, and of the regions around it, whose callers may be its places."""
    stack = []
    while site:
        stack += stack_of(site)
        site = sites.get(site.get("around", 0))
    return stack


def places_of(addresses, modules):
    """{(module, offset): {(base name, line)}} of all inlined calls; without modules that addr2line cannot read."""
    places = {}
    for module in sorted({module for module, _ in addresses}):
        path = modules.get(module, {}).get("path", "")
        if not os.path.exists(path):
            continue
        offsets = sorted({offset for each, offset in addresses if each == module})
        output = subprocess.run(["addr2line", "-a", "-i", "-e", path], input="".join(f"{o - 1:#x}\n" for o in offsets),
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
        for line in output.splitlines():
            if line.startswith("0x"):
                found = places.setdefault((module, int(line, 16) + 1), set())
            else:
                file, _, number = line.split(" (")[0].rpartition(":")
                found.add((os.path.basename(file), int(number) if number.isdigit() else 0))
        here = [key for key in places if key[0] == module]
        if not any(line for key in here for _, line in places[key]):  # split debug information, for example
            for key in here:
                del places[key]
    return places


def is_symbolized_as(wanted, stack, modules):
    """Whether llvm-symbolizer, if there is one, finds a place on a stack."""
    tool = next(filter(None, map(shutil.which, ("llvm-symbolizer", "llvm-symbolizer-19"))), None)
    for module, offset in stack if tool else []:
        path = modules.get(module, {}).get("path", "")
        if os.path.exists(path):
            output = subprocess.run([tool, "-e", path, hex(offset - 1)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                    text=True, check=False).stdout
            if any(os.path.basename(line.rsplit(":", 2)[0]) == wanted[0] and line.rsplit(":", 2)[1] == str(wanted[1])
                   for line in output.splitlines() if line.count(":") >= 2):
                return True
    return False


def is_of_member(site, wanted, places, modules):
    """A member that is initialized where it is declared: compilers give the constructor's line, debug information has
    that of the member, or the type of the member's lambda (which is what makes it another row)."""
    if not re.search(r"(\w+)(<.*>)?::\1\b", site["function"]):
        return False
    if any(wanted in places.get(tuple(frame), ()) for frame in stack_of(site)) or wanted in jumps_of(
            {modules[module]["path"] for module, _ in stack_of(site)[:1]}):
        return True
    return any("::{lambda" in line for module, offset in stack_of(site)[:2] for line in subprocess.run(
        ["addr2line", "-i", "-f", "-C", "-e", modules[module]["path"], hex(offset - 1)], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, check=False).stdout.splitlines())


def jumps_of(paths):
    """The places of jumps that leave a function, with the calls around them that are inlined."""
    places = set()
    for path in paths:
        output = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True, check=False).stdout
        function, found = "", set()
        for line in output.splitlines():
            if header := re.match(r"[0-9a-f]+ <(.*)>:$", line):
                function = header[1]
            elif jump := re.match(r" *([0-9a-f]+):\s+jmp +[0-9a-f]+ <([^>+]*)", line):
                if jump[2] != function:
                    found.add((0, int(jump[1], 16) + 1))
        places |= set().union(*places_of(found, {0: {"path": path}}).values()) if found else set()
    return places


def check(profile, sites, modules):
    rows = profile["sites"]
    problems = []
    for what in (lambda row: row["name"], lambda row: (row["file"], row["line"], str(row.get("wrapper")), row.get("filter"))):
        seen = {}
        for row in rows:
            if what(row) in seen:
                problems.append(f"two rows are {what(row)}")
            seen[what(row)] = row
    by_lines = [site for row in rows if row["line"] for id in row["site_ids"] for site in [sites.get(id)]
                if site and (not site.get("file") or site["line"] != (row.get("wrapper") or row)["line"])]
    places = places_of({tuple(frame) for site in by_lines for frame in with_regions(site, sites)}, modules)
    jumps = None  # found where a line is not on a stack
    for row in rows:
        members = [sites[id] for id in row["site_ids"] if id in sites]
        addresses = [site for site in members if not site.get("file")]
        for site in members:
            at = row.get("wrapper") or row
            if site.get("file") and site["line"] != at["line"] and not is_of_member(
                    site, (os.path.basename(at["file"]), at["line"]), places, modules):
                problems.append(f"{row['name']}: site {site['site']} is at line {site['line']}")
        if row["line"]:
            wanted = (os.path.basename(row["file"]), row["line"])
            for site in addresses:
                stack = with_regions(site, sites)
                frames = [places.get(tuple(frame)) for frame in stack]
                if None in frames or any(wanted in frame for frame in frames) or is_symbolized_as(wanted, stack, modules):
                    continue
                if jumps is None:
                    jumps = jumps_of({module["path"] for module in modules.values() if os.path.exists(module["path"]) and
                                      not re.match(r"/(usr/)?lib|.*/libtbb|.*/libtaskpath|\[", module["path"])})
                if wanted not in jumps:
                    problems.append(f"{row['name']}: site {site['site']} has another place: {frames}")
        elif len(addresses) > 1:
            if len(row["functions"]) > 1:
                problems.append(f"{row['name']}: {len(row['functions'])} functions")
            stacks = [{(modules.get(module, {}).get("path"), offset) for module, offset in stack_of(site)} for site in addresses]
            if not set.intersection(*stacks):
                problems.append(f"{row['name']}: {len(addresses)} sites at different addresses")
            if row["found_by"] == ["type"] and len({site["type"] for site in addresses}) > 1:
                problems.append(f"{row['name']}: tasks of different types")
    return problems


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        profile = json.load(file)
    problems = check(profile, *read_recording(sys.argv[2]))
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
