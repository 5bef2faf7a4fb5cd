#!/usr/bin/env python3
"""Sums up the cargo by ports: reads what 40_json_export.cpp writes, given as a program or a file."""
import collections
import json
import subprocess
import sys


def rows(result):
    """The rows of a result in columns, as dictionaries."""
    names = [column["name"] for column in result["columns"]]
    for block in result["blocks"]:
        for row in zip(*block["data"]):
            yield dict(zip(names, row))


def main():
    output = subprocess.run(sys.argv[1:2], check=True, capture_output=True, text=True).stdout
    result = json.loads(output.splitlines()[-1])
    tons = collections.Counter()
    for row in rows(result):
        tons[row["port"]] += row["Cargo.tons"]
    print(", ".join(f"{port}: {tons[port]} t" for port in sorted(tons)))
    expected = sys.argv[2:]
    if expected and [f"{port}={tons[port]}" for port in sorted(tons)] != expected:
        sys.exit(f"expected {expected}")


if __name__ == "__main__":
    main()
