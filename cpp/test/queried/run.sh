#!/bin/sh
# The query for clang-query finds the lines that queried.cpp says, and nothing in the examples.
#
#     run.sh
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
query=$(command -v clang-query || ls /usr/bin/clang-query-* | tail -1)

# The lines of a file that it finds.
found() {
    "$query" -f "$root/cpp/lint/outer-accessor.query" "$1" -- -std=c++20 -w -I"$root/cpp/include" >"$said" 2>&1
    if grep -q 'error:' "$said" || ! grep -q '^[0-9]* match' "$said"; then
        cat "$said" >&2
        return 1
    fi
    sed -n 's/^[^ ]*:\([0-9]*\):[0-9]*: note: "outer" binds here$/\1/p' "$said"
}

said=$(mktemp)
trap 'rm -f "$said"' EXIT
expected=$(grep -n '// outer$' "$root/cpp/test/queried/queried.cpp" | cut -d: -f1)
[ "$(echo "$expected" | wc -l)" = 11 ]
lines=$(found "$root/cpp/test/queried/queried.cpp")
if [ "$lines" != "$expected" ]; then
    echo "queried.cpp: expected lines" $expected, found $lines >&2
    exit 1
fi
for file in hello/hello hello/several coroutine/coroutine plugin/greeter; do
    lines=$(found "$root/cpp/examples/$file.cpp")
    [ -z "$lines" ] || { echo "$file.cpp: lines $lines" >&2; exit 1; }
done
echo "11 lines found, 4 examples without one"
