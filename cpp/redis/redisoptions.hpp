#pragma once

#include <cstdint>
#include <string>

namespace steptree::detail::redis {

// What is wrong with the arguments of a call, said at the call: InternalError.

/// The largest that Lua's numbers and those of JavaScript can say.
inline constexpr std::int64_t kMostWhole = (std::int64_t{1} << 53) - 1;
/// What Redis takes as one text.
inline constexpr std::int64_t kMostBytes = 512 * 1'048'576LL;

/// The longest time, in milliseconds.
inline constexpr std::int64_t kDay = 86'400'000;

/// A whole number in that range, which it gives: `what` is the mistake.
std::int64_t checkWhole(const std::string& what, std::int64_t given, std::int64_t least,
                        std::int64_t most);
/// JSON that isn't too deep or too large.
void checkPayload(const char* call, const std::string& text, std::int64_t mostBytes,
                  std::int64_t mostDepth);

}  // namespace steptree::detail::redis
