#!/usr/bin/env python3
"""The recipes of package managers that Debian does not have can be read, and name kith's version."""
# spec 438

import ast
import json
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PACKAGING = TOP / "packaging"


def main():
    version = re.search(r"project\(kith VERSION ([\d.]+)", (TOP / "CMakeLists.txt").read_text())[1]
    problems = []
    for recipe in sorted(PACKAGING.glob("conan/**/*.py")):
        ast.parse(recipe.read_text(), recipe.name)
    port = json.loads((PACKAGING / "vcpkg/ports/kith/vcpkg.json").read_text())
    if port["version"] != version:
        problems.append(f"the port for vcpkg has the version {port['version']}, kith has {version}")
    if f'version = "{version}"' not in (TOP / "MODULE.bazel").read_text():
        problems.append(f"MODULE.bazel does not have the version {version}")
    options = set(re.findall(r"option\((KITH_\w+)", (TOP / "CMakeLists.txt").read_text()))
    for recipe in (PACKAGING / "vcpkg/ports/kith/portfile.cmake", PACKAGING / "conan/conanfile.py"):
        for option in sorted(set(re.findall(r"\bKITH_\w+", recipe.read_text())) - options):
            problems.append(f"{recipe.relative_to(TOP)} sets {option}, which is no option of kith")
    parts = {path.name for path in (TOP / "src").iterdir() if not path.name.startswith("no_")}
    built = (TOP / "BUILD.bazel").read_text()
    problems += [f"BUILD.bazel lacks src/{part}" for part in sorted(parts) if f'"{part}"' not in built]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
