#!/bin/sh
# Compiles core and C interface for Windows, with all warnings. The pool and the inspector are left out: their queue and Asio aren't
# here for Windows.
#
#     run.sh     needs g++-mingw-w64-x86-64-posix
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$top/build/windows

cmake -S "$top" -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/mingw.cmake" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
    -DSTEPTREE_UNITY=ON -DSTEPTREE_BUILD_TESTS=OFF -DSTEPTREE_BUILD_EXAMPLES=OFF \
    -DSTEPTREE_BUILD_POOL=OFF -DSTEPTREE_BUILD_INSPECTOR=OFF -DSTEPTREE_BUILD_REDIS=OFF -DSTEPTREE_WARNINGS_AS_ERRORS=ON
cmake --build "$build" -j2
