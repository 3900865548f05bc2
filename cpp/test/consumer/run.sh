#!/bin/sh
# Builds a program against the installed package and against the source tree, and runs both. Argument: a directory for
# the builds, which is emptied.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=${1:-$root/build/consumer}

run() {
    "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*" >&2; exit 1; }
}

consume() { # name, configure arguments
    name=$1
    shift
    run cmake -G Ninja -S "$here" -B "$work/$name" -DCMAKE_BUILD_TYPE=Release "$@"
    run cmake --build "$work/$name" -j2
    run "$work/$name/consumer"
    echo "$name: ok"
}

rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)
run cmake -G Ninja -S "$root" -B "$work/steptree" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$work/prefix" -DSTEPTREE_BUILD_TESTS=OFF -DSTEPTREE_BUILD_EXAMPLES=OFF
run cmake --build "$work/steptree" -j2
run cmake --install "$work/steptree"
consume find_package -DCMAKE_PREFIX_PATH="$work/prefix"
consume add_subdirectory -DSTEPTREE_SOURCE="$root"
