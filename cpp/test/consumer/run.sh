#!/bin/sh
# Builds a program against the installed package and against the source tree, and runs both.
#
#     run.sh [DIRECTORY [BUILD]]     DIRECTORY for the builds is emptied; BUILD: a build of steptree to install from
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=${1:-$root/build/consumer}
build=${2:-}

run() {
    "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*" >&2; exit 1; }
}

consume() { # name, configure arguments
    name=$1
    shift
    run cmake -G Ninja -S "$here" -B "$work/$name" -DCMAKE_BUILD_TYPE=Debug "$@"
    run cmake --build "$work/$name" -j2
    run "$work/$name/consumer"
    [ ! -e "$work/$name/pooled" ] || run "$work/$name/pooled"
    echo "$name: ok"
}

rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)
if [ -z "$build" ]; then
    build=$work/steptree
    run cmake -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Debug \
        -DSTEPTREE_BUILD_TESTS=OFF -DSTEPTREE_BUILD_EXAMPLES=OFF
    run cmake --build "$build" -j2
fi
run cmake --install "$build" --prefix "$work/prefix"
# A machine without the queue of the pool installs the rest.
pool=OFF
[ -z "$(find "$work/prefix" -name "libsteptree-pool.*")" ] || pool=ON
consume find_package -DCMAKE_PREFIX_PATH="$work/prefix" -DPOOL=$pool
consume add_subdirectory -DSTEPTREE_SOURCE="$root" -DPOOL=OFF
