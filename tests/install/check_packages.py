#!/usr/bin/env python3
"""Makes the Debian packages of a build and compares what they contain and need with what they should."""
# spec 438

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

# From the package to patterns of its files, all of which it must have; and to what it depends on.
CONTENTS = {
    "libkith-c0": ([r"usr/lib/.*libkith-c\.so\.0", r"usr/lib/.*libkith-c\.so\.0\.\d+\.\d+"], ["libc6", "libstdc\\+\\+6"]),
    "libkith0.1": ([r"usr/lib/.*libkith\.so\.0\.1", r"usr/lib/.*libkith\.so\.0\.1\.0"], ["libc6", "libstdc\\+\\+6"]),
    "libkith-dev": (
        [
            r"usr/include/kith/kith\.hpp",
            r"usr/include/kith/kith\.h",
            r"usr/lib/.*libkith\.a",
            r"usr/lib/.*libkith-core\.a",
            r"usr/lib/.*libkith-c\.so",
            r"usr/lib/.*libkith\.so",
            r"usr/lib/.*kithConfig\.cmake",
            r"usr/lib/.*kith\.pc",
            r"usr/lib/.*kith-c\.pc",
            r"usr/share/kith/kith_gdb\.py",
        ],
        [r"libkith-c0 \(= VERSION\)", r"libkith0\.1 \(= VERSION\)"],
    ),
    "kith": (
        [
            r"usr/bin/kith",
            r"usr/share/man/man1/kith\.1",
            r"usr/share/bash-completion/completions/kith",
            r"usr/share/zsh/vendor-completions/_kith",
            r"usr/share/fish/vendor_completions.d/kith\.fish",
            r"usr/share/doc/kith/examples/worlds/solar\.kith",
        ],
        ["libedit2", "libc6"],
    ),
    "python3-kith": ([r"usr/lib/python3/dist-packages/kith\.py"], ["libkith-c0", "python3", "python3-numpy"]),
}
# Packages that have no other files than those above.
EXACT = ("libkith-c0", "libkith0.1", "python3-kith")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def problems_of(name, package, version):
    files = [line.split()[5].removeprefix("./") for line in output_of("dpkg-deb", "-c", package).splitlines()]
    files = [file for file in files if not file.endswith("/")]
    patterns, needs = CONTENTS[name]
    for pattern in patterns:
        if not any(re.fullmatch(pattern, file) for file in files):
            yield f"{name} lacks {pattern}; it has {files}"
    for file in files:
        if name in EXACT and not any(re.fullmatch(pattern, file) for pattern in patterns):
            yield f"{name} has {file}"
    depends = output_of("dpkg-deb", "-f", package, "Depends")
    for need in needs:
        if not re.search(need.replace("VERSION", re.escape(version)), depends):
            yield f"{name} does not depend on {need}: {depends.strip()}"
    architecture = output_of("dpkg-deb", "-f", package, "Architecture").strip()
    if (architecture == "all") != (name == "python3-kith"):
        yield f"{name} is for {architecture}"
    if output_of("dpkg-deb", "-f", package, "Version").strip() != version:
        yield f"{name} has another version"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--version", required=True)
    options = parser.parse_args()
    if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
        print("there is no dpkg-deb or dpkg-shlibdeps: packages are not checked")
        return 0
    subprocess.run(["cpack", "-G", "DEB", "-B", options.work], cwd=options.build, check=True)
    packages = {path.name.split("_")[0]: path for path in options.work.glob("*.deb")}
    problems = [f"missing: {name}" for name in CONTENTS if name not in packages]
    problems += [f"unexpected: {name}" for name in packages if name not in CONTENTS]
    for name in CONTENTS.keys() & packages.keys():
        problems += problems_of(name, packages[name], options.version)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
