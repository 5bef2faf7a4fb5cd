#!/usr/bin/env python3
"""Stops a program in gdb or lldb, runs files of commands there, and compares their output.

    compare.py --gdb gdb --program scene --script kith_gdb.py scene.gdb callback.gdb

The output that a file of commands should have is in a file of its name with .out; --fix writes it. --core asks a core file of the stopped
program; --auto-load DIRECTORY lets gdb find the script beside the library in that directory. Numbers
of types and tables are left out of the comparison, because they depend on the builtin entities, and
so are lines about stops. Exits with 77 where gdb cannot stop a program.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BEGIN = "== begin"
FAULT = re.compile(r"Python Exception|Traceback|Error while executing|internal-error")


def run(command, **variables):
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=120, errors="replace", env=variables
    )
    return result.stdout, result.stderr


def run_gdb(options, arguments):
    command = [options.gdb, "-nx", "-batch", "-iex", "set disable-randomization off"]
    command += ["-iex", "set width 0", "-iex", "set print address off", "-iex", "set auto-load python-scripts off"]
    if options.auto_load:
        command += ["-iex", "set auto-load python-scripts on"]
        command += ["-iex", f"set auto-load safe-path {options.auto_load}"]
        command += ["-iex", f"set auto-load scripts-directory {options.auto_load}/share/gdb/auto-load"]
    else:
        command += ["-ex", f"source {options.script}"]
    command += arguments
    return run(command)


def stop(options):
    """The arguments of a gdb that stops the program where the commands begin."""
    breaks = [argument for name in options.stops for argument in ("-ex", f"break {name}")]
    return [*breaks, "-ex", "run"]


def ask(options, arguments, program):
    commands = []
    for file in options.commands:
        commands += ["-ex", f"echo {BEGIN}\\n", "-x", file]
    return run_gdb(options, [*arguments, *commands, *program])


def ask_core(options):
    with tempfile.TemporaryDirectory() as folder:
        core = str(Path(folder) / "core")
        out, errors = run_gdb(options, [*stop(options), "-ex", f"gcore {core}", options.program])
        if not Path(core).exists():
            return out, errors
        return ask(options, [], [options.program, core])


def ask_lldb(options):
    """Output of lldb, without the commands that it repeats."""
    command = [options.lldb, "--no-lldbinit", "--batch", "-o", f"command script import {options.script}"]
    command += ["-o", f"breakpoint set --name {options.stops[0]}", "-o", "run"]
    for file in options.commands:
        command += ["-o", f'script print("{BEGIN}")', "-s", file]
    # Debian's lldb does not find its own module, and takes the library of the first python3 in PATH.
    top = Path(options.lldb).resolve().parents[1]
    modules = top.glob("lib/python3*/dist-packages/lldb/embedded_interpreter.py")
    variables = {
        "PATH": f"/usr/bin:{os.environ.get('PATH', '')}",
        "PYTHONPATH": ":".join(str(file.parents[1]) for file in modules),
    }
    out, errors = run([*command, options.program], **variables)
    return re.sub(r"^(\(lldb\)|Executing commands in ).*\n", "", out, flags=re.MULTILINE), errors


def normalize(text):
    text = re.sub(r"^(Breakpoint \d+, .*|\d+\t.*|)\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\btable \d+", "table N", text)
    text = re.sub(r"#\d{1,3}\b", "#N", text)  # types
    return re.sub(r"\d+ entities in \d+ tables", "N entities in N tables", text)


def compare(options, file, found):
    """True if the output of a file of commands is not the expected one."""
    page = Path(file).with_suffix(".out")
    if options.fix:
        page.write_text(found, encoding="utf-8")
    expected = page.read_text(encoding="utf-8").splitlines()
    differences = difflib.unified_diff(expected, found.splitlines(), str(page), "found", lineterm="")
    text = "\n".join(differences)
    print(text, end="\n" if text else "")
    return bool(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gdb", default="gdb")
    parser.add_argument("--lldb", help="ask this lldb instead of gdb")
    parser.add_argument("--program", required=True)
    parser.add_argument("--script")
    parser.add_argument("--stops", nargs="+", default=["stop_in_scene", "stop_in_callback", "stop_in_hook"])
    parser.add_argument("--core", action="store_true")
    parser.add_argument("--auto-load")
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("commands", nargs="+")
    options = parser.parse_args()

    if options.lldb:
        out, errors = ask_lldb(options)
    elif options.core:
        out, errors = ask_core(options)
    else:
        out, errors = ask(options, stop(options), [options.program])
    if "ptrace" in errors and "not permitted" in errors:
        print("gdb must not stop programs here:", errors)
        return 77
    found = out.split(BEGIN + "\n")[1:]
    if len(found) != len(options.commands) or FAULT.search(out + errors):
        print(out, errors, sep="\n")
        return 1
    differ = [compare(options, file, normalize(text)) for file, text in zip(options.commands, found)]
    if any(differ):
        print(errors)
    return any(differ)


if __name__ == "__main__":
    sys.exit(main())
