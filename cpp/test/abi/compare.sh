#!/bin/sh
# Compares two installed builds of the shared libraries, which have debug info: whether what was linked with the first one runs with the
# second one. Fails if it may not, though the number of the interface, which is in their names, is the same.
#
#     compare.sh OLD NEW     two prefixes of `cmake --install`
set -eu
old=$1
new=$2
failed=0

libraries() { find "$1" -name 'libsteptree*.so' | sort; }
interface() { objdump -p "$1" | sed -n 's/^ *SONAME *//p' | grep . || { echo "$1: it has no SONAME" >&2; exit 1; }; }

for prefix in "$old" "$new"; do
    twice=$(libraries "$prefix" | sed 's,.*/,,' | sort | uniq -d)
    [ -z "$twice" ] || { echo "$prefix has several of: $twice" >&2; exit 1; }
done
[ -n "$(libraries "$old")" ] || { echo "no shared libraries in $old" >&2; exit 1; }
for before in $(libraries "$old"); do
    name=$(basename "$before")
    after=$(libraries "$new" | grep "/$name\$" || true)
    [ -n "$after" ] || { echo "$name: it is gone" >&2; failed=1; continue; }
    number=$(interface "$before")
    now=$(interface "$after")
    if [ "$number" != "$now" ]; then
        echo "$name: another interface: $number is $now now"
        continue
    fi
    for library in "$before" "$after"; do # Without it all types are the same.
        readelf -S "$library" | grep -q '\.debug_info' || { echo "$library: no debug info" >&2; exit 1; }
    done
    # Of types those count that the headers declare. What is added breaks nothing.
    if abidiff --no-added-syms --headers-dir1 "$old/include" --headers-dir2 "$new/include" "$before" "$after"; then
        echo "$name: ok"
    else
        echo "$name: what was linked with it before may fail: another kAbi (cpp/include/steptree/abi.hpp), or another change" >&2
        failed=1
    fi
done
exit $failed
