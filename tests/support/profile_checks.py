#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Answers questions about profiles for one shell script, which would else start Python for each.

    tests/support/profile_checks.py < REQUESTS > ANSWERS

A request is the number of its words, then a folder, a word and its arguments; an answer is a text, empty if what is asked holds.
All of them end with a zero byte.

    is EXPRESSION            the Python expression holds for profile.json, p, and no figure in p is negative
    rows PROFILE RECORDING   no row of the profile has two functions (one_function_per_row.py)
    script FILE ARGUMENT...  the Python script ends without an error; the answer is the message of its sys.exit()
"""
import contextlib
import json
import os
import runpy
import sys

sys.dont_write_bytecode = True
import one_function_per_row
from comparison import negative_figures


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def holds(expression):
    p = read_json("profile.json")
    negative = negative_figures(p)
    if negative:
        return "negative: " + ", ".join(negative)
    if eval(expression, {"p": p, "json": json}):
        return ""
    return f"{expression}: no; {({k: p[k] for k in ('complete', 'incomplete_reasons', 'work', 'span')})}"


def has_one_function_per_row(profile, recording):
    return "\n".join(one_function_per_row.check(read_json(profile), *one_function_per_row.read_recording(recording)))


def runs(script, *arguments):
    sys.argv = [script, *arguments]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        return str(end.code) if end.code else ""
    return ""


ANSWERS = {"is": holds, "rows": has_one_function_per_row, "script": runs}


def requests(stream):
    """The requests: lists of words."""
    words, rest = [], b""
    while chunk := os.read(stream, 65536):
        *parts, rest = (rest + chunk).split(b"\0")
        for part in parts:
            words.append(part.decode(errors="surrogateescape"))
            if len(words) == 1 + int(words[0]):
                yield words[1:]
                words = []


def main():
    for folder, word, *arguments in requests(sys.stdin.fileno()):
        try:
            os.chdir(folder)
            with contextlib.redirect_stdout(sys.stderr):
                answer = ANSWERS[word](*arguments)
        except Exception as error:  # the expression's, or a file's that is missing: what was asked does not hold
            answer = f"{' '.join(arguments)}: {type(error).__name__}: {error}"
        sys.stdout.buffer.write(answer.encode(errors="surrogateescape") + b"\0")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
