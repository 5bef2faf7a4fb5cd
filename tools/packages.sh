# Sourced by the scripts that need programs which may be missing: installs Debian packages.
#
#   can_have emscripten nodejs    the same for what can be left out: false instead of an end
#   need g++ cmake ninja-build    installs those that are missing, and says so; where that is not
#                                 possible it says what is missing and how to get it, and exits.
#
# Looks for what a package provides rather than for the package: programs that came in another way do
# as well. Nothing is downloaded when nothing is missing.

has_header() {
    echo "#include <$1>" | g++ -x c++ -E - >/dev/null 2>&1
}

# The clang that cmake/clang_toolchain.cmake takes.
find_clang() {
    command -v clang++-19 || command -v clang++
}

# The packages that fuzzing needs: a clang, and the run-time library that belongs to it.
clang_packages() {
    local clang major=19
    if clang=$(find_clang); then
        major=$("$clang" -dumpversion | cut -d. -f1)
    fi
    echo "clang-$major" "libclang-rt-$major-dev"
}

has_package() {
    case $1 in
        ninja-build) command -v ninja ;;
        libsimdjson-dev) has_header simdjson.h ;;
        rapidjson-dev) has_header rapidjson/document.h ;;
        doctest-dev) has_header doctest/doctest.h ;;
        libbenchmark-dev) has_header benchmark/benchmark.h ;;
        libcli11-dev) has_header CLI/CLI.hpp ;;
        libedit-dev) has_header histedit.h ;;
        libtbb-dev) has_header tbb/task_arena.h ;;
        libzstd1) compgen -G '/usr/lib/*/libzstd.so.1' || compgen -G '/lib/*/libzstd.so.1' ;;
        graphviz) command -v dot ;;
        abigail-tools) command -v abidiff ;;
        liblua5.4-dev) has_header lua5.4/lua.h ;;
        python3-numpy) /usr/bin/python3 -c "import numpy" ;;
        python3-jsonschema) /usr/bin/python3 -c "import jsonschema" ;;
        clang-[0-9]*) find_clang ;;
        libclang-rt-*-wasm32) [[ $(dpkg-query -W -f '${Status}' "$1") == *" ok installed" ]] ;;
        libclang-rt-*) compgen -G "$("$(find_clang)" -print-resource-dir)/lib/*/libclang_rt.fuzzer*" ;;
        clang-format-14) command -v clang-format-14 || clang-format --version | grep -q 'version 14\.' ;;
        # Libraries of other platforms have no programs to look for.
        libc++* | wasi-libc | g++-mingw* | wine64) [[ $(dpkg-query -W -f '${Status}' "$1") == *" ok installed" ]] ;;
        lld-[0-9]*) command -v "$1" || command -v wasm-ld || command -v "wasm-${1/lld/ld}" ;;
        emscripten) command -v em++ ;;
        nodejs) command -v node ;;
        *) command -v "$1" ;; # a package named for its program
    esac >/dev/null 2>&1
}

missing_packages() {
    local package
    for package in "$@"; do
        has_package "$package" || echo "$package"
    done
}

need() {
    local missing as_root=() obstacle=""
    mapfile -t missing < <(missing_packages "$@")
    if ((${#missing[@]} == 0)); then
        return
    fi

    local install=(apt-get install -y --no-install-recommends "${missing[@]}")
    if ! command -v apt-get >/dev/null; then
        obstacle="there is no apt-get"
    elif [[ $(id -u) != 0 ]]; then
        # Without a terminal sudo must not ask for a password: nobody would answer.
        if command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
            as_root=(sudo)
        else
            obstacle="you are not root and sudo is not available"
        fi
    fi
    if [[ -n $obstacle ]]; then
        echo "Missing (named as Debian packages): ${missing[*]}"
        echo "They cannot be installed from here: $obstacle. As root, run"
        echo "    apt-get update && ${install[*]}"
        exit 1
    fi

    echo "Installing what is missing: ${missing[*]}"
    if ! "${as_root[@]}" apt-get -q update ||
        ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}"; then
        echo "apt-get failed; these packages are missing: ${missing[*]}"
        exit 1
    fi
    mapfile -t missing < <(missing_packages "$@")
    if ((${#missing[@]} != 0)); then
        echo "apt-get has run, but these are still missing: ${missing[*]}"
        exit 1
    fi
} >&2 # standard output belongs to the script that asks

# True if the packages are there or could be installed; nothing ends if not.
can_have() {
    local missing package
    mapfile -t missing < <(missing_packages "$@")
    for package in "${missing[@]}"; do
        # No pipe: grep -q would end apt-cache, which pipefail takes for a failure.
        if [[ $(apt-cache policy "$package" 2>/dev/null) != *"Candidate: "[!\(]* ]]; then
            echo "there is no package $package" >&2
            return 1
        fi
    done
    (need "$@")
}
