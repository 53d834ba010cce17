#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates JSON that Taskpath wrote with the schemas of docs/reference/schemas.

usage: validate_json.py FILE|DATA_DIR...   exit 1 and one line per difference
       validate_json.py --schemas          whether the schemas themselves are valid and complete

The field "schema" of a FILE names its schema; a DATA_DIR contains run.json, sites.jsonl and, if the
recording is complete, end.json. The validation is strict: a field that the schema does not contain
is a difference, so that everyone who adds a field describes it there."""
import functools
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("tp: error: python3-jsonschema: not found\nhint: scripts/setup")

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/reference/schemas")
NAMES = sorted(name[:-len(".schema.json")] for name in os.listdir(FOLDER) if name.endswith(".schema.json"))
MOST_SHOWN = 10  # differences of one document


def schema_of(name):
    with open(os.path.join(FOLDER, name + ".schema.json"), encoding="utf-8") as file:
        return json.load(file)


def parts_of(schema):
    """The nested schemas that describe values of their own; not conditions, which describe the same
    value again."""
    for word in ("properties", "$defs"):
        yield from schema.get(word, {}).items()
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            yield word, schema[word]
    for part in schema.get("prefixItems", []):
        yield "prefixItems", part


def make_strict(schema):
    if "properties" in schema:
        schema.setdefault("additionalProperties", False)
    for _, part in parts_of(schema):
        make_strict(part)
    return schema


@functools.lru_cache(maxsize=None)
def validator(name):
    return jsonschema.Draft202012Validator(make_strict(schema_of(name)))


def differences(name, value):
    """Messages: where the value differs from the schema."""
    found = []
    for error in validator(name).iter_errors(value):
        place = "".join(f"/{step}" for step in error.absolute_path) or "/"
        found.append(f"{name}: {place}: {error.message[:300]}")
        if len(found) == MOST_SHOWN:
            break
    return found


def schema_name(value):
    """taskpath.NAME/1 -> NAME; None if it is not one of our schemas."""
    text = value.get("schema") if isinstance(value, dict) else None
    parts = text.split("/") if isinstance(text, str) else []
    name = parts[0].removeprefix("taskpath.") if parts else None
    return name if len(parts) == 2 and parts[1] == "1" and name in NAMES else None


def differences_of_document(value):
    name = schema_name(value)
    return differences(name, value) if name else [f"no schema taskpath.NAME/1 with NAME one of {', '.join(NAMES)}"]


def differences_of_lines(text):
    """Messages for sites.jsonl. Text after the last line end was cut off by a kill."""
    return [f"line {number}: {difference}" for number, line in enumerate(text.split("\n")[:-1], 1)
            for difference in differences("sites", json.loads(line))]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def differences_of_data(directory):
    found = differences_of_lines(read(os.path.join(directory, "sites.jsonl")))
    for name in ("run", "end"):
        path = os.path.join(directory, name + ".json")
        if name == "run" or os.path.exists(path):
            found += differences(name, json.loads(read(path)))
    return found


def differences_of_schema(name):
    """Messages: errors of a schema itself. Every field needs a description, and a field that is not
    required has to state when it is absent."""
    schema = schema_of(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    found = []

    def visit(schema, path):
        if schema.get("additionalProperties") is False:
            found.append(f"{path}: fields may be added, so additionalProperties has to be allowed")
        if "properties" in schema and "required" not in schema:
            found.append(f"{path}: no list of required fields")
        for field in schema.get("required", []):
            if "properties" in schema and field not in schema["properties"]:
                found.append(f"{path}: requires {field}, which it does not describe")
        for field, part in schema.get("properties", {}).items():
            description = part.get("description", "")
            if not description:
                found.append(f"{path}/{field}: no description")
            if field not in schema.get("required", []) and "Absent" not in description:
                found.append(f"{path}/{field}: not required, and no word on when it is absent")
        for step, part in parts_of(schema):
            visit(part, f"{path}/{step}")

    visit(schema, name)
    return found


def main(arguments):
    if not arguments or (arguments[0].startswith("-") and arguments != ["--schemas"]):
        sys.exit(__doc__)
    wrong = []
    if arguments == ["--schemas"]:
        wrong = [difference for name in NAMES for difference in differences_of_schema(name)]
    else:
        for path in arguments:
            found = differences_of_data(path) if os.path.isdir(path) else differences_of_document(json.loads(read(path)))
            wrong += [f"{path}: {difference}" for difference in found]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
