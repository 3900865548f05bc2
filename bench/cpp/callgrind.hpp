#pragma once

/// Client requests of callgrind: a few instructions that do nothing outside of it.
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_DUMP_STATS_AT(text) static_cast<void>(text)
#define RUNNING_ON_VALGRIND false
#endif
