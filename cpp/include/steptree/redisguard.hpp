#pragma once

#include <cstdint>

#include "steptree/unlimited.hpp"

namespace steptree {

/// What a section does that finds Redis down: it fails with RedisFailed; or waits for it; or is let
/// in by this process alone, which has a share of its own then, `local(n)`.
/// Guide: docs/redis.md#when-redis-is-down
///
///     RedisMutex pool(shop, "pool", {.max = 5, .whenDown = WhenDown::local(2)});
struct WhenDown {
    /// Without a share.
    enum Kind : std::uint8_t {
        fail,  ///< once there was no answer within `patience`
        wait,  ///< it asks again until Redis answers; give it a timeout
        alone  ///< for the runtime: what `local` is
    };

    /// Also from a Kind, `WhenDown::wait`.
    constexpr WhenDown(Kind given) noexcept : kind(given) {}  // NOLINT: implicit
    /// Lets in at most `n` lines at a time, or a period, in the order of coming, without tokens; at
    /// least 1. All processes together may exceed their limit.
    /// Guide: docs/redis.md#when-redis-is-down
    ///
    ///     RedisMutex pool(shop, "pool", {.max = 5, .whenDown = WhenDown::local(2)});
    static constexpr WhenDown local(std::int64_t n) noexcept {
        WhenDown made(alone);
        made.share = n;
        return made;
    }

    Kind kind;               ///< for the runtime
    std::int64_t share = 0;  ///< the same
};

/// How a guard over Redis stands, for all processes.
struct RedisGuardCounts {
    std::int64_t active = 0;   ///< places that are taken; of a RedisRwLock lines that are in
    std::int64_t waiting = 0;  ///< lines
    std::int64_t entries = kUnlimited;  ///< that the rate lets in at once; kUnlimited: it has none
};

}  // namespace steptree
