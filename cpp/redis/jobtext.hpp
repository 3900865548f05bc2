#pragma once

#include <cstdint>
#include <string>

namespace steptree::detail::redis {

/// Why a text is no payload; '': it's one. What comes from Redis may be written by anybody.
std::string whyNoPayload(const std::string& text, std::int64_t mostDepth,
                         const char* what = "its payload");
/// Whether arrays and objects lie more than `most` deep in each other.
bool isDeeper(const std::string& text, std::int64_t most) noexcept;
/// Whether JSON is a list.
bool isList(const std::string& json) noexcept;

}  // namespace steptree::detail::redis
