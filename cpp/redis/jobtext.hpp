#pragma once

#include <cstdint>
#include <string>

namespace steptree::detail::redis {

/// Why a text is no payload; '': it's one. What comes from Redis may be written by anybody.
std::string whyNoPayload(const std::string& text, std::int64_t mostDepth);

}  // namespace steptree::detail::redis
