#pragma once

#include <cstdint>
#include <limits>

namespace steptree {

/// No limit: for what queues, a Limiter, a channel or a retry may be given as one.
inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

}  // namespace steptree
