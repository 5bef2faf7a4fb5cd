#!/usr/bin/env python3
"""Runs the tests with a library that clang's address sanitizer watches, and fails if anything of kith leaks.

    run_sanitized.py PYTHON RUNTIME

PYTHON runs the tests, with RUNTIME, the sanitizer's shared library, loaded before all others. KITH_LIBRARY and
PYTHONPATH are those of other runs. Python leaks memory of its own, which is not counted: a leak of kith has a
function of libkith-c.so.0 among its callers. Tests of growth are left out: under a sanitizer they take minutes.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
LEAK = "import ctypes, os; library = ctypes.CDLL(os.environ['KITH_LIBRARY']); library.kith_init()"


def run(arguments):
    """(exit code, what was printed, stacks of leaks that kith is part of)."""
    python, runtime = sys.argv[1:3]
    environment = dict(os.environ, LD_PRELOAD=runtime, PYTHONMALLOC="malloc",
                       ASAN_OPTIONS="detect_leaks=1:symbolize=0:allocator_may_return_null=1:abort_on_error=1:exitcode=0",
                       UBSAN_OPTIONS="halt_on_error=1:abort_on_error=1")
    done = subprocess.run([python, "-B", *arguments], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    stacks = re.split(r"^(?:Direct|Indirect) leak of ", done.stdout, flags=re.MULTILINE)[1:]
    return done.returncode, done.stdout, [stack for stack in stacks if "libkith-c.so" in stack]


def main():
    _, _, deliberate = run(["-c", LEAK])
    if not deliberate:
        print("a world that is never ended was not reported as a leak")
        return 1
    code, printed, leaks = run(["-m", "unittest", "discover", "-s", str(TESTS), "-p", "test_[!g]*.py"])
    print(re.sub(r"^(?:Direct|Indirect) leak of .*?\n\n", "", printed, flags=re.MULTILINE | re.DOTALL))
    for leak in leaks[:5]:
        print("a leak of", leak)
    print(f"exit code {code}, {len(leaks)} leaks of kith")
    return 1 if code != 0 or leaks else 0


if __name__ == "__main__":
    sys.exit(main())
