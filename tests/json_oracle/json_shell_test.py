#!/usr/bin/env python3
"""Compares results of queries in all forms: JSON in rows, in columns, flat, and the shell's tables."""
# spec 543
import argparse
import json
import os
import subprocess

QUERIES = (
    "Cargo",
    "Cargo, ?Label",
    "Cargo, ?(DockedTo, $port)",
    "(DockedTo, *), Cargo",
    "Label || Cargo",
    "Cargo, Cargo(Bell)",
    "Grade",
    "Cargo(Bell)",
    "Cargo, DockedTo",
)
WORLD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../apps/files/cargo.kith")


def flat(row):
    """A row without structs: their members have dots in their names."""
    parts = {}
    for name, value in row.items():
        if isinstance(value, dict):
            parts.update(flat({f"{name}.{key}": inner for key, inner in value.items()}))
        else:
            parts[name] = value
    # A struct that is not there is null as a whole, or member by member.
    return {name: value for name, value in parts.items() if value is not None}


def rows_of(result):
    names = [column["name"] for column in result["columns"]]
    rows = result.get("rows")
    if rows is None:
        rows = []
        for block in result["blocks"]:
            assert all(len(column) == block["count"] for column in block["data"])
            rows += zip(*block["data"]) if names else [()] * block["count"]
    return [dict(zip(names, row)) for row in rows]


def in_order(rows):
    return sorted((flat(row) for row in rows), key=json.dumps)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--shell", required=True)
    given = arguments.parse_args()
    asked = "".join(f"query {form} {query}\n" for query in QUERIES for form in ("-", "c", "f", "cf"))
    answers = iter(subprocess.run([given.program, WORLD], input=asked, check=True, capture_output=True,
                                  text=True).stdout.splitlines())
    for query in QUERIES:
        shell = subprocess.run([given.shell, "query", WORLD, query, "--format", "json"], check=True,
                               capture_output=True, text=True).stdout
        expected = in_order(json.loads(shell))
        for form in ("rows", "columns", "flat rows", "flat columns"):
            found = in_order(rows_of(json.loads(next(answers))))
            assert found == expected, f"{query}, {form}:\n{found}\nthe shell has\n{expected}"


main()
