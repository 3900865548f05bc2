#pragma once

#include <memory>
#include <string>

#include "ask.hpp"
#include "leaselife.hpp"
#include "steptree/redisservice.hpp"

namespace steptree {

/// What callers and servers ask of a service.
struct RedisService::Access {
    static const RedisServiceOptions& limits(const RedisService& of) noexcept { return of.limits_; }
    static const std::string& base(const RedisService& of) noexcept { return of.base_; }
    static RedisConnection& connection(const RedisService& of) noexcept { return of.connection_; }
    static detail::redis::Caller& caller(const RedisService& of) noexcept { return *of.caller_; }
};

}  // namespace steptree
