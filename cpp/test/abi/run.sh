#!/bin/sh
# Builds the shared libraries of a commit and of the working tree, and compares what programs were linked with: see compare.sh. Takes
# minutes, so a workflow does it for each change, and no part of `npm run test:deep`.
#
#     run.sh COMMIT     needs abigail-tools
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
work=$top/build/abi
rm -rf "$work"
mkdir -p "$work/source"
git -C "$top" archive "$1" CMakeLists.txt LICENSE README.md CHANGELOG.md SECURITY.md cpp spec docs | tar -x -C "$work/source"

run() {
    "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*" >&2; exit 1; }
}

install() { # sources, prefix; what is built isn't in there: it has libraries of the same names
    run cmake -G Ninja -S "$1" -B "$2.build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG='-O0 -g' -DBUILD_SHARED_LIBS=ON \
        -DSTEPTREE_UNITY=ON -DSTEPTREE_BUILD_TESTS=OFF -DSTEPTREE_BUILD_EXAMPLES=OFF -DSTEPTREE_BUILD_INSPECTOR=OFF
    run cmake --build "$2.build" -j2
    run cmake --install "$2.build" --prefix "$2"
}
install "$work/source" "$work/old"
install "$top" "$work/new"
"$here/compare.sh" "$work/old" "$work/new"
