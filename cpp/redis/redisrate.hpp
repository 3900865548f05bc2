#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "redisguard.hpp"
#include "steptree/throttle.hpp"

namespace steptree::detail::redis {

/// How many may enter.
struct Rate {
    std::int64_t max;
    std::int64_t period;  // ms
    std::optional<ThrottleAlgorithm> algorithm{};
    std::optional<std::int64_t> burst{};

    ThrottleAlgorithm kind() const noexcept;
};

/// As the scripts take it. A bad one is a mistake of `call`, which calls `max` by that name.
RateArguments rateOf(const std::string& call, const char* max, const Rate& rate);
/// A part of it, at least one, beside so many places.
Share shareOf(std::int64_t places, const Rate& rate, double part);

}  // namespace steptree::detail::redis
