#!/bin/sh
# What the headers refuse to compile is refused, with the sentence that says why.
#
#     run.sh COMPILER INCLUDE
set -eu
here=$(cd "$(dirname "$0")" && pwd)
compiler=$1
include=$2
macros=$("$compiler" -dM -E -x c++ /dev/null)
is_gcc=$(echo "$macros" | grep -c "define __clang__ " || true)
version=$(echo "$macros" | sed -n 's/^#define __GNUC__ //p')
destroys_twice=no
if [ "$is_gcc" = 0 ] && [ "$version" -lt 13 ]; then destroys_twice=yes; fi

compile() {
    "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$include" -DCASE="$1" "$here/refused.cpp" 2>&1
}

compile 0 >&2
count=0
sed -n 's|^ *// \([0-9]*\)\(, [^:]*\)*: \(.*\)$|\1;\2;\3|p' "$here/refused.cpp" >"${TMPDIR:-/tmp}/refused.$$"
trap 'rm -f "${TMPDIR:-/tmp}/refused.$$"' EXIT
while IFS=';' read -r number only sentence; do
    if [ "$only" = ", g++ before 13" ] && [ $destroys_twice = no ]; then
        compile "$number" # there nothing is wrong with it
    elif said=$(compile "$number"); then
        echo "case $number compiles" >&2
        exit 1
    elif [ "$only" = ", first" ] && ! echo "$said" | grep -m 1 "error:" | grep -qF "$sentence"; then
        echo "$said" | grep -m 3 "error:" >&2
        echo "case $number isn't refused with, in the first line: $sentence" >&2
        exit 1
    elif ! echo "$said" | grep -qF "$sentence"; then
        echo "$said" >&2
        echo "case $number isn't refused with: $sentence" >&2
        exit 1
    fi
    count=$((count + 1))
done <"${TMPDIR:-/tmp}/refused.$$"
echo "$count cases"
[ "$count" -ge 83 ]
