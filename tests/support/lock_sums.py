#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up the records of locks in `tp-analyze --dump`, read from stdin: for each kind of lock, exclusive and
shared, the sections within one step, the work inside of them, and the sections that cross steps.

    lock_sums.py <dump         kind [shared] sections=N work=W takes=N gives=N locks=N
"""
import collections
import re
import sys

sums = collections.defaultdict(lambda: [0, 0, 0, 0])
locks = collections.defaultdict(set)
slots = {}
for line in sys.stdin:
    words = line.split()
    fields = dict(word.split("=", 1) for word in words if "=" in word)
    if words[0] == "stream":
        slots = {}
    elif re.search(r"\block slot=", line):
        slots[fields["slot"]] = fields["kind"], fields["address"], fields["generation"]
    elif len(words) > 1 and words[1] in ("Section", "Take", "Give"):
        kind, address, generation = slots[fields["slot"]]
        key = kind + (" shared" if "shared" in words else "")
        row = sums[key]
        if words[1] == "Section":
            row[0] += int(fields.get("sections", 1))
            row[1] += int(fields["work"])
        else:
            row[2 if words[1] == "Take" else 3] += 1
        if words[1] != "Give":
            locks[key].add((address, generation))
for key, (sections, work, takes, gives) in sorted(sums.items()):
    print(f"{key} sections={sections} work={work} takes={takes} gives={gives} locks={len(locks[key])}")
