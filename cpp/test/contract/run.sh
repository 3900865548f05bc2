#!/bin/sh
# The contract of plug-ins is all that they need, and thin: the compiler reads it for each file of each of them.
#
#     run.sh COMPILER INCLUDE
set -eu
here=$(cd "$(dirname "$0")" && pwd)
"$1" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$2" "$here/contract.cpp"
lines=$(echo '#include "steptree/iasyncsteps.hpp"' | "$1" -std=c++20 -E -P -I"$2" -x c++ - | wc -l)
echo "$lines preprocessed lines, at most 25000 with g++ 12"
[ "$lines" -le 25000 ]
