#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the layouts of oneTBB's classes in two object files, compiled from one source with -g.

    layouts.py STOCK.o OURS.o

For each class of namespace tbb in STOCK.o, its size, the offsets of its bases and members, and the
places of its virtual functions must be the same in OURS.o. Prints one line per difference; exit
status 1 if there is any. Reads the debug information in the form that readelf prints.
"""
import re
import subprocess
import sys

ENTRY = re.compile(r" *<(\d+)><([0-9a-f]+)>: Abbrev Number: (\d+)(?: \(DW_TAG_(\w+)\))?")
ATTRIBUTE = re.compile(r" *<[0-9a-f]+> *DW_AT_(\w+) *: ?(.*)")
# The type of a parameter of ours; it is part of the names of local classes of such a function.
LOCATED = re.compile(r"tp::located<([^<>]*)>")
CLASSES = ("class_type", "structure_type", "union_type")
PARTS = {"member": "data_member_location", "inheritance": "data_member_location", "subprogram": "vtable_elem_location"}


def value_of(text):
    """The text without what versions of readelf print about its form.

    (strp) (offset: 0x7d94): int, or (indirect string, ...): int."""
    return re.sub(r"^(\(\w+\) )?(\([^()]*offset: 0x[0-9a-f]+\): )?", "", text.strip())


def entries(path):
    """(depth, offset, tag, attributes) of each entry, in order."""
    dump = subprocess.Popen(["readelf", "--wide", "--debug-dump=info", path], stdout=subprocess.PIPE, text=True)
    entry = None
    for line in dump.stdout:
        if match := ENTRY.match(line):
            if entry:
                yield entry
            entry = (int(match[1]), match[2], match[4], {}) if match[4] else None
        elif entry and (match := ATTRIBUTE.match(line)):
            entry[3][match[1]] = value_of(match[2])
    if entry:
        yield entry
    if dump.wait() != 0:
        sys.exit(f"tp: error: {path}: readelf failed")


def layouts(path):
    """{qualified name: {part: place}}. The parts of a class are its direct children.

    Unnamed parts are named by their order."""
    names, current, found = [], [], {}
    for depth, _, tag, attributes in entries(path):
        del names[depth:], current[depth:]
        name = LOCATED.sub(r"\1", attributes.get("name", f"({tag})"))
        names.append(name)
        layout = None
        if tag in CLASSES and "byte_size" in attributes and names[1:2] == ["tbb"]:
            layout = found.setdefault("::".join(names[1:]), {})
            layout["size"] = attributes["byte_size"]
        current.append(layout)
        parent = current[depth - 1] if depth else None
        if parent is not None and tag in PARTS and PARTS[tag] in attributes:
            part = f"{tag} {name}"
            while part in parent:
                part += "'"
            parent[part] = attributes[PARTS[tag]]
    return found


stock, ours = (layouts(path) for path in sys.argv[1:3])
differences = 0
for name, layout in stock.items():
    for part in layout.keys() | ours.get(name, {}).keys():
        expected, got = layout.get(part), ours.get(name, {}).get(part)
        if expected != got:
            differences += 1
            print(f"{name}: {part}: expected {expected}, got {got}")
print(f"{len(stock)} classes, {sum(map(len, stock.values()))} places compared, {differences} differences")
sys.exit(bool(differences) or not stock)
