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
    for program in pooled inspected queued; do
        [ ! -e "$work/$name/$program" ] || run "$work/$name/$program"
    done
    echo "$name: ok"
}

rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)
if [ -z "$build" ]; then
    build=$work/steptree
    run cmake -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Debug \
        -DSTEPTREE_BUILD_BOTH=ON -DSTEPTREE_BUILD_TESTS=OFF -DSTEPTREE_BUILD_EXAMPLES=OFF
    run cmake --build "$build" -j2
fi
run cmake --install "$build" --prefix "$work/prefix"
# A machine without what a component needs installs the rest.
libraries=$(dirname "$(find "$work/prefix" -name libsteptree.a)")
has() { [ -e "$libraries/libsteptree-$1.a" ] && echo ON || echo OFF; }
pool=$(has pool)
inspector=$(has inspector)
redis=$(has redis)
consume find_package -DCMAKE_PREFIX_PATH="$work/prefix" -DPOOL="$pool" -DINSPECTOR="$inspector" -DREDIS="$redis"
# What docs/service.md builds, which needs Asio, as the inspector does.
if [ "$inspector" = ON ]; then
    mkdir "$work/service"
    cp "$root/cpp/examples/service/service.cpp" "$root/cpp/examples/service/alone/CMakeLists.txt" "$work/service"
    run cmake -G Ninja -S "$work/service" -B "$work/service/build" -DCMAKE_PREFIX_PATH="$work/prefix"
    run cmake --build "$work/service/build"
    echo "service: ok"
fi

for file in LICENSE README.md docs/what-became-what.md docs/pictures/tree-light.svg spec/README.md spec/errors.json spec/model.md; do
    [ -f "$work/prefix/share/doc/steptree/$file" ] || { echo "$file isn't installed" >&2; exit 1; }
done
PKG_CONFIG_PATH=$libraries/pkgconfig
LD_LIBRARY_PATH=$libraries # Shared libraries, as there are both.
export PKG_CONFIG_PATH LD_LIBRARY_PATH
try() { # program library
    # shellcheck disable=SC2046 # they are words
    run c++ -std=c++20 "$here/$1.cpp" -o "$work/$1" $(pkg-config --cflags --libs "$2")
    run "$work/$1"
}
try main steptree
[ "$pool" = OFF ] || try pooled steptree-pool
[ "$inspector" = OFF ] || try inspected steptree-inspector
[ "$redis" = OFF ] || try queued steptree-redis
# The C interface: a program in C is linked as one in C++ is.
for compiler in cc $(command -v clang || true); do
    # shellcheck disable=SC2046 # they are words
    run "$compiler" -std=c99 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags steptree-c) -c "$here/inc.c" -o "$work/inc.o"
    # shellcheck disable=SC2046 # they are words
    run c++ "$work/inc.o" -o "$work/inc" $(pkg-config --libs steptree-c)
    run "$work/inc"
done
# All warnings are on in many programs, and what of the headers is inlined there is part of them.
for flags in -O2 "-O1 -fsanitize=address,undefined"; do
    # shellcheck disable=SC2046,SC2086 # they are words
    run c++ -std=c++20 -Wall -Wextra -Werror $flags "$here/values.cpp" -o "$work/values" $(pkg-config --cflags --libs steptree)
    run "$work/values"
done
echo "pkg-config: ok"

# The shared library: a program, and the library of what is over Redis, find in it all that they need. Of the mechanism it shows no more
# than that, but for the classes of the guards.
# shellcheck disable=SC2046 # they are words
run c++ -std=c++20 "$here/objects.cpp" -o "$work/objects" $(pkg-config --cflags --libs steptree)
run "$work/objects"
shown=$(nm -DC --defined-only "$libraries/libsteptree.so" | grep " [A-Za-z] steptree::detail::" | grep -cvE "::(Basic|Remote)" || true)
[ "$shown" -le 39 ] || { echo "$shown symbols of steptree::detail are exported, 39 at most" >&2; exit 1; }
echo "shared: ok, $shown symbols of detail"

# The static one, out of the same objects.
run c++ -std=c++20 -I"$work/prefix/include" "$here/main.cpp" "$libraries/libsteptree.a" -pthread -o "$work/static"
run "$work/static"
run c++ "$work/inc.o" "$libraries/libsteptree-c.a" "$libraries/libsteptree.a" -pthread -o "$work/inc-static"
run "$work/inc-static"
echo "static: ok"

consume add_subdirectory -DSTEPTREE_SOURCE="$root" -DPOOL=OFF -DINSPECTOR=OFF -DREDIS=OFF

# Its name is that of the plug-ins' interface.
abi=$(sed -n 's/.*kAbi = \([0-9]*\);/\1/p' "$root/cpp/include/steptree/abi.hpp")
run cmake -G Ninja -S "$root" -B "$work/named" -DBUILD_SHARED_LIBS=ON -DSTEPTREE_BUILD_TESTS=OFF -DSTEPTREE_BUILD_EXAMPLES=OFF
run grep -q "SONAME = libsteptree.so.$abi\$" "$work/named/build.ninja"
echo "soname: ok"

# What is asked for and can't be built isn't left out in silence: nothing of the system is found here. AUTO leaves it out.
lacking() { # build, arguments of cmake
    where=$work/$1
    shift
    cmake -G Ninja -S "$root" -B "$where" -DSTEPTREE_BUILD_TESTS=OFF -DSTEPTREE_BUILD_EXAMPLES=OFF \
        -DCMAKE_MAKE_PROGRAM="$(command -v ninja)" -DCMAKE_CXX_COMPILER="$(command -v c++)" \
        -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF "$@" >"$work/log" 2>&1
}
lacking auto || { cat "$work/log"; echo "failed: a build without components" >&2; exit 1; }
for component in pool:libconcurrentqueue-dev inspector:libasio-dev redis:libhiredis-dev; do
    name=${component%:*}
    grep -q "steptree::$name is left out: it needs .*(Debian: ${component#*:}" "$work/log" || { cat "$work/log"; echo "$name: not left out" >&2; exit 1; }
done
for component in pool:libconcurrentqueue-dev inspector:libasio-dev redis:libhiredis-dev; do
    name=${component%:*}
    option=STEPTREE_BUILD_$(echo "$name" | tr '[:lower:]' '[:upper:]')
    if lacking auto "-D$option=ON" || ! grep -q "steptree::$name can't be built" "$work/log" || ! grep -q -e "${component#*:}" "$work/log"; then
        cat "$work/log"
        echo "$option=ON: has to fail, and to say what is missing" >&2
        exit 1
    fi
    cmake "-D$option=AUTO" "$work/auto" >/dev/null
done
echo "components: ok"

# A compiler that warns of what ours don't builds it: only the presets of whoever changes it refuse warnings.
refuses() { grep -q -e -Werror "$1/build.ninja"; }
if refuses "$work/named"; then
    echo "warnings are errors in a user's build" >&2
    exit 1
fi
run cmake --preset dev -S "$root" -B "$work/dev"
refuses "$work/dev" || { echo "warnings are no errors in the preset dev" >&2; exit 1; }
echo "warnings: ok"
