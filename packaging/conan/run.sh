#!/bin/sh
# Builds the package of Conan in a home of its own, and programs with it: `tools/setup deep` installs Conan.
#
#     run.sh [arguments of conan create]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
PATH=$top/build/packaging/venv/bin:$PATH
CONAN_HOME=$top/build/conan
export PATH CONAN_HOME
rm -rf "$CONAN_HOME"
mkdir -p "$CONAN_HOME"
log=$CONAN_HOME/log

run() {
    "$@" >"$log" 2>&1 || { cat "$log"; echo "failed: $*" >&2; exit 1; }
}

run conan profile detect
run conan create "$here" --no-remote --build=missing -s compiler.cppstd=20 -s build_type=Debug \
    -c tools.cmake.cmaketoolchain:generator=Ninja -c tools.build:jobs=2 \
    -c tools.cmake.cmake_layout:test_folder="$CONAN_HOME/test" "$@"
grep -q 'steptree/.*: RUN: .*sum' "$log" || { cat "$log"; echo "the test wasn't run" >&2; exit 1; }
echo "conan: ok"
