#!/bin/sh
# What a user does, in a root of Debian's with g++, cmake, make and pkg-config.
set -eu
cd /user
[ -z "$(find / -xdev -name '*steptree*' -not -path '/user/*' -not -path '/proc/*')" ]
dpkg --install ./libsteptree[0-9]*.deb ./libsteptree-dev_*.deb ./libsteptree-doc_*.deb >/dev/null
abi=$(dpkg-query -W -f '${Package}\n' 'libsteptree[0-9]*' | sed 's/libsteptree//')

# Shared libraries, unless the static ones are asked for.
consume() { # arguments of cmake
    cmake -G 'Unix Makefiles' -S consumer -B build -DCMAKE_BUILD_TYPE=Debug -DPOOL=ON -DINSPECTOR=ON -DREDIS=ON "$@" >/dev/null
    cmake --build build --target consumer queued >/dev/null
    [ "$(build/consumer)" = 42 ]
    build/queued
}
consume
ldd build/consumer | grep -q "libsteptree.so.$abi => /lib/"
cp build/consumer shared
consume -Dsteptree_USE_STATIC_LIBS=ON
ldd build/consumer | grep -q steptree && exit 1
echo "find_package: ok"

# shellcheck disable=SC2046 # they are words
cc -std=c99 $(pkg-config --cflags steptree-c) -c consumer/inc.c -o inc.o
# shellcheck disable=SC2046 # they are words
c++ inc.o -o inc $(pkg-config --libs steptree-c)
./inc
# Shared: what it is made of is its own matter. Static: pkg-config names that, too.
# shellcheck disable=SC2046 # they are words
c++ -std=c++20 consumer/queued.cpp -o queued $(pkg-config --cflags --libs steptree-redis)
objdump -p queued | grep -q hiredis && exit 1
./queued
pkg-config --static --libs steptree-redis | grep -q -e '-lhiredis'
echo "pkg-config: ok"

[ -f /usr/share/doc/steptree/docs/cpp.md ]
[ -f /usr/share/doc/libsteptree-dev/copyright ]
# Programs need the libraries only.
dpkg --purge libsteptree-dev libsteptree-doc >/dev/null
[ "$(./shared)" = 42 ]
dpkg --purge "libsteptree$abi" >/dev/null
[ -z "$(find / -xdev -name '*steptree*' -not -path '/user/*' -not -path '/proc/*' -not -path '/var/log/*')" ]
echo "removed: ok"
