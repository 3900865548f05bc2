#!/bin/sh
# The hash is sha256sum's, the loop goes on while it is made, and a deadline stops the hashing.
#
#     check.sh PROGRAM DIRECTORY
set -eu
hash=$1
mkdir -p "$2"
cd "$2"
size=536870918

fail() { echo "$*" "$(cat log)" >&2; exit 1; }

printf begin >large
truncate -s $((size - 3)) large
printf end >>large
trap 'rm -f large' EXIT

"$hash" large >hashes 2>log || fail "failed:"
sha256sum --check --quiet hashes || fail "another hash:"
# Were the file hashed on the loop, there would be one tick, as late as the hashing took.
awk -v size=$size '{ exit !($3 == size && $7 >= 10 && $10 * 2 < $1) }' log || fail "the loop was held:"

if "$hash" large 10 >hashes 2>log; then fail "no deadline:"; fi
grep -q ^Timeout log || fail "another error:"
awk -v size=$size '/bytes/ { exit !($3 < size) }' log || fail "not stopped:"

if "$hash" nowhere >hashes 2>log; then fail "no such file:"; fi
grep -q ^FileError log || fail "another error:"
