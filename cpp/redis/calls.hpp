#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "ask.hpp"
#include "steptree/redisservice.hpp"

namespace steptree {

/// What callers and servers ask of a service.
struct RedisService::Access {
    static const RedisServiceOptions& limits(const RedisService& of) noexcept { return of.limits_; }
    static const std::string& base(const RedisService& of) noexcept { return of.base_; }
    static RedisConnection& connection(const RedisService& of) noexcept { return of.connection_; }
    static detail::redis::Caller& caller(const RedisService& of) noexcept { return *of.caller_; }
};

namespace detail::redis {

/// How long a session lives here. A part of the lease is left out, in which nothing is done any
/// more: for timers that are late, and clocks that go at different rates.
inline std::chrono::milliseconds lifeOf(std::chrono::milliseconds lease) noexcept {
    return lease * 9 / 10;
}

}  // namespace detail::redis
}  // namespace steptree
