#!/usr/bin/env python3
"""Builds kith for other platforms from its single-file form and compares what all examples print.

    tools/platforms.py --work DIRECTORY PLATFORM ...
    tools/platforms.py --quick --work DIRECTORY PLATFORM ...

PLATFORM is one of

    libcxx        clang with libc++, this machine
    mingw         g++ of MinGW-w64, run by Wine; also kith-c-0.dll with a program in C
    wasi          clang for wasm32-wasi, without exceptions and threads, run by node
    emscripten    em++ with exceptions, without threads, run by node
    meson         the archive kith-VERSION-single.tar.gz, built and tested by Meson
    module        the C++20 module, by clang 16 or later; ends with 77 if there is none

The library is one compiler run each, at -O1; libcxx builds it in four parts. Examples are not optimized. The script ends with 1 if an example prints something
else than the .out file next to its source. Examples that a platform cannot run are named, with reasons.

With --quick the library is not optimized, a few examples run, and the script ends with 77 if the platform's compiler or
standard library is missing: about a minute for libcxx.
"""

import argparse
import difflib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "tools"))
import amalgamate  # noqa: E402  (tools are no package)

EXAMPLES = TOP / "examples"
PARTS = 4  # of the library for libc++
# With --quick: values, errors, systems, threads, files, text, C.
QUICK_EXAMPLES = ("00_hello", "01_tour", "08_errors", "16_query_language", "23_systems", "28_json", "33_threads", "36_save_game", "03_failures")
SHOWS_SIZES = ("26_reflection",)
# A file of WebAssembly has no command line: node runs it with the calls of WASI.
RUN_WASI = """const { WASI } = require('wasi');
const { readFileSync } = require('fs');
const wasi = new WASI({ version: 'preview1', args: ['program'], env: {}, preopens: { '/': process.cwd(), '.': process.cwd() } });
WebAssembly.instantiate(readFileSync(process.argv[2]), wasi.getImportObject())
    .then(({ instance }) => process.exit(wasi.start(instance)));
"""


def find_clang():
    """The compiler that cmake/clang_toolchain.cmake takes."""
    return shutil.which("clang++-19") or shutil.which("clang++") or "clang++"


class Platform:
    """How one platform compiles and runs programs."""

    suffix = ""
    exceptions = True
    threads = True
    wide_addresses = True  # 64 bits
    in_parts = False
    link = []

    def __init__(self, work, quick=False):
        self.work = work
        self.quick = quick

    def compile_flags(self):
        return [*self.compiler(), "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{self.work.parent}"]

    def run_command(self, program):
        return [program]

    def environment(self):
        return dict(os.environ)


class Libcxx(Platform):
    def compiler(self):
        return [find_clang(), "-stdlib=libc++"]

    link = ["-pthread"]
    in_parts = True


class Mingw(Platform):
    suffix = ".exe"
    link = ["-static"]

    def compiler(self):
        return ["x86_64-w64-mingw32-g++-posix"]

    def run_command(self, program):
        wine = shutil.which("wine") or shutil.which("wine64") or "/usr/lib/wine/wine64"
        return [wine, program]

    def environment(self):
        prefix = self.work / "wine"
        return dict(os.environ, WINEPREFIX=str(prefix), WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree,mshtml=")


class Wasi(Platform):
    suffix = ".wasm"
    exceptions = False
    threads = False
    wide_addresses = False

    def compiler(self):
        return [find_clang(), "--target=wasm32-wasi", "-fno-exceptions", "-DKITH_NO_EXCEPTIONS=1"]

    def run_command(self, program):
        script = self.work / "run.js"
        script.write_text(RUN_WASI)
        return ["node", "--no-warnings", str(script), program]


class Emscripten(Platform):
    suffix = ".js"
    threads = False
    wide_addresses = False
    link = ["-sEXIT_RUNTIME=1", "-sALLOW_MEMORY_GROWTH=1", "-sNODERAWFS=1"]

    def compiler(self):
        return ["em++", "-fexceptions"]

    def run_command(self, program):
        return ["node", "--no-experimental-fetch", program]


PLATFORMS = {"libcxx": Libcxx, "mingw": Mingw, "wasi": Wasi, "emscripten": Emscripten}


class CommandFailed(Exception):
    """A command ended with a failure; the text has its output."""


def run(command, **options):
    """Runs a command; CommandFailed has its output if it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        words = " ".join(str(word) for word in command)
        raise CommandFailed(f"{words}\n{done.stdout[-4000:]}{done.stderr[-8000:]}\nended with {done.returncode}")
    return done.stdout


def has_header(platform, name):
    """True if the platform's standard library has the header."""
    source = platform.work / "header.cpp"
    source.write_text(f"#include <{name}>\n")
    command = [*platform.compiler(), "-std=c++20", "-fsyntax-only", str(source)]
    try:
        return subprocess.run(command, capture_output=True, env=platform.environment()).returncode == 0
    except FileNotFoundError:
        return False


def reason_to_leave_out(source, platform, has_pmr):
    """Why the platform cannot run the example; None if it can."""
    text = source.read_text()
    if "#include <tbb/" in text:
        return "it needs oneTBB"
    if "memory_resource" in text and not has_pmr:
        return "the standard library has no <memory_resource>"
    if not platform.exceptions and "kith_fail" in text:
        return "it provokes failures, which end a program without exceptions"
    if not platform.exceptions and re.search(r"\b(catch|throw|try)\b", amalgamate.without_comments(text)):
        return "it catches exceptions"
    if not platform.wide_addresses and source.stem in SHOWS_SIZES:
        return "it prints sizes of types with pointers, which are smaller"
    if not platform.threads and "#include <thread>" in text:
        return "it starts threads of its own"
    return None


def build_library(platform, jobs):
    """The objects of the library."""
    top = platform.work.parent
    in_parts = platform.in_parts and not platform.quick
    sources = sorted((top / "parts").glob("kith_*.cpp")) if in_parts else [top / "kith/kith.cpp"]
    objects = [platform.work / f"{source.stem}.o" for source in sources]
    with ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(lambda source, target: compile_source(platform, source, target), sources, objects):
            pass
    return objects


def compile_source(platform, source, target, compiler=None):
    """Compiles a source, unless the object was made from the same text."""
    command = [*(compiler or [*platform.compile_flags(), "-O0" if platform.quick else "-O1"]), "-c", source, "-o", target]
    headers = sorted((platform.work.parent / "kith").glob("*.h*"))
    text = b"".join(path.read_bytes() for path in [*headers, source]) + repr(command).encode()
    mark = target.with_suffix(".sha256")
    digest = hashlib.sha256(text).hexdigest()
    if not target.exists() or not mark.exists() or mark.read_text() != digest:
        mark.unlink(missing_ok=True)
        run(command, env=platform.environment())
        mark.write_text(digest)


def c_compiler(command):
    """The command of the C compiler that belongs to one of the C++ compiler."""
    compiler, *flags = command
    for of_cpp, of_c in {"clang++": "clang", "em++": "emcc", "g++": "gcc"}.items():
        if of_cpp in compiler:
            compiler = compiler.replace(of_cpp, of_c)
            break
    kept = [flag for flag in flags if flag not in ("-std=c++20", "-stdlib=libc++")]
    return [compiler, *kept, "-std=c99", "-Wno-missing-field-initializers"]


def expected_output(source):
    """The file with what the example prints; one in C may print what the one in C++ with its name prints."""
    own = source.with_suffix(".out")
    return own if own.exists() else EXAMPLES / own.name


def check_example(platform, source, library):
    """Builds and runs an example; the difference to what it has to print, empty if none."""
    name = source.stem if source.parent == EXAMPLES else f"c_{source.stem}"
    program = platform.work / (name + platform.suffix)
    made = platform.work / f"{name}.o"
    compiler = platform.compile_flags()
    try:
        compile_source(platform, source, made, c_compiler(compiler) if source.suffix == ".c" else compiler)
        # The library is C++, so its compiler links programs in C, too.
        run([*platform.compiler(), made, *library, *platform.link, "-o", program], env=platform.environment())
    except CommandFailed as failure:
        return [f"{name} was not built: {failure}"]
    folder = platform.work / f"{name}.run"
    folder.mkdir(exist_ok=True)
    command = platform.run_command(str(program))
    try:
        done = subprocess.run(command, capture_output=True, cwd=folder, env=platform.environment(), timeout=300)
    except subprocess.TimeoutExpired:
        return [f"{name} did not end within 300 seconds"]
    printed = done.stdout.decode().replace("\r\n", "\n").splitlines()
    expected = expected_output(source).read_text().splitlines()
    difference = list(difflib.unified_diff(expected, printed, f"{name}.out", "printed", lineterm="", n=1))
    if done.returncode != 0:
        difference.append(f"{name} ended with {done.returncode}: {done.stderr.decode()[-2000:]}")
    return difference


def check_meson(work):
    """Builds the archive of the single-file form as a user of Meson does."""
    archive = amalgamate.write_archive(TOP, work)
    shutil.unpack_archive(archive, work)
    shutil.rmtree(work / "build", ignore_errors=True)
    run(["meson", "setup", "--buildtype=debug", work / "build", work / archive.name.removesuffix("-single.tar.gz")])
    run(["meson", "test", "-C", work / "build"])
    print("meson: the library was built, and its test passes")
    return True


def check_module(work):
    done = subprocess.run([sys.executable, "-B", TOP / "tools/check_module.py", "--compile", work])
    if done.returncode == 77:
        sys.exit(77)
    return done.returncode == 0


def write_sources(work):
    """The single-file form, whole and in parts. Examples include optional headers by their own names."""
    amalgamate.write(TOP, work / "kith")
    amalgamate.write(TOP, work / "parts", PARTS)
    for header in (TOP / "include/kith").glob("*.hpp"):
        forward = work / "kith" / header.name
        if not forward.exists():
            forward.write_text('#include "kith_text.hpp"\n')


def check_platform(name, work, jobs, quick):
    work.mkdir(parents=True, exist_ok=True)
    if name in OTHER_CHECKS:
        return OTHER_CHECKS[name](work)
    platform = PLATFORMS[name](work, quick)
    if quick and not has_header(platform, "version"):
        print(f"{name}: there is no compiler, or no standard library for it")
        sys.exit(77)
    begin = time.monotonic()
    library = build_library(platform, jobs)
    print(f"{name}: the library was built in {time.monotonic() - begin:.0f} s", flush=True)
    has_pmr = has_header(platform, "memory_resource")
    sources = []
    for source in sorted([*EXAMPLES.glob("*.cpp"), *EXAMPLES.glob("c/*.c")]):
        if quick and source.stem not in QUICK_EXAMPLES:
            continue
        reason = reason_to_leave_out(source, platform, has_pmr)
        if reason:
            print(f"{name}: {source.stem} is left out: {reason}")
        else:
            sources.append(source)
    if name == "mingw":  # Wine makes its prefix at the first run
        check_example(platform, sources[0], library)
    with ThreadPoolExecutor(jobs) as pool:
        differences = list(pool.map(lambda source: check_example(platform, source, library), sources))
    failed = [lines for lines in differences if lines]
    for lines in failed:
        print("\n".join(lines))
    print(f"{name}: {len(sources) - len(failed)} of {len(sources)} examples print what they have to", flush=True)
    return not failed


OTHER_CHECKS = {"meson": check_meson, "module": check_module}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("platforms", nargs="+", choices=sorted([*PLATFORMS, *OTHER_CHECKS]))
    options = parser.parse_args()
    work = options.work.resolve()
    write_sources(work)
    try:
        good = [check_platform(name, work / name, options.jobs, options.quick) for name in options.platforms]
    except CommandFailed as failure:
        sys.exit(str(failure))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
