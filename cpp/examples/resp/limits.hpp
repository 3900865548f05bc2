#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace resp {

/// What clients may ask of the server, in the words of `limitTable()`. Sizes are bytes, times
/// (`...Ms`) are milliseconds. 0 as a time, a rate or `serverConcurrent` is "no limit"; a period is
/// at least 1.
struct Limits {
    std::size_t connections = 1000;
    std::size_t burst = 100;
    std::size_t bulk = 8 * 1024 * 1024;
    std::size_t args = 65'536;
    std::size_t request = 16 * 1024 * 1024;
    std::size_t line = 64 * 1024;
    std::size_t input = 1024 * 1024;
    std::size_t output = 1024 * 1024;
    std::int64_t commandMs = 5000;
    std::int64_t requestMs = 10'000;
    std::int64_t idleMs = 0;
    std::int64_t connectionMs = 0;
    std::int64_t outputMs = 10'000;
    std::int64_t lingerMs = 1000;
    std::int64_t drainMs = 1000;
    std::int64_t clientRate = 0;
    std::int64_t clientPeriodMs = 1000;
    std::int64_t clientQueue = 0;
    std::int64_t serverConcurrent = 0;
    std::int64_t serverRate = 0;
    std::int64_t serverPeriodMs = 1000;
    std::int64_t serverQueue = 0;
};

struct Limit {
    std::string name;
    std::variant<std::size_t Limits::*, std::int64_t Limits::*> member;
    /// What it limits.
    std::string words;
};

/// All limits, in the order in which `--help` lists them.
const std::vector<Limit>& limitTable();

}  // namespace resp
