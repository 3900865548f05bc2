#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "redisoptions.hpp"
#include "redisplaces.hpp"
#include "steptree/redisguard.hpp"
#include "steptree/steps.hpp"

namespace steptree::detail::redis {

/// What a guard over Redis limits.
struct Limits {
    std::int64_t max;  // places
    std::optional<RateArguments> rate{};
    /// What this process gives alone, if Redis is down, with that number; null: nothing.
    std::function<Share(std::int64_t local)> share{};
};

/// The options that all of them have.
struct CommonOptions {
    std::int64_t maxQueue;
    std::chrono::milliseconds lease;
    std::optional<std::chrono::milliseconds> patience;
    std::int64_t replicas;
    WhenDown whenDown;

    template <class Options>
    static CommonOptions of(const Options& given) noexcept {
        return {given.maxQueue, given.lease, given.patience, given.replicas, given.whenDown};
    }
};

/// `call` is whose the options are, `kind` a part of the keys.
std::shared_ptr<RemoteSource> placesOf(const std::string& call, RedisConnection& connection,
                                       const char* kind, const std::string& name,
                                       const CommonOptions& options, const Limits& limits);

/// Of what placesOf has given. `all`: so many places are those of one line.
steptree::Step<AnyValues, Values<RedisGuardCounts>> countsOf(RemoteSource& source,
                                                             std::int64_t all = kUnlimited);

/// Of a token that is null, or empty: InternalError.
std::string tokenOf(const std::string* token);

}  // namespace steptree::detail::redis
