#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace resp {

/// The longest time that is counted exactly in both languages, some 140,000 years, in milliseconds.
inline constexpr std::int64_t longestMs = std::int64_t{1} << 52;

/// A signed 64-bit integer in its one canonical spelling (no `+`, no leading zeros, no blanks).
std::optional<std::int64_t> parseInteger(std::string_view text);

/// `value + 1`, nothing where 64 bits can't hold it.
std::optional<std::int64_t> increment(std::int64_t value);

/// `value * factor` for a positive factor, nothing where 64 bits can't hold it.
std::optional<std::int64_t> multiply(std::int64_t value, std::int64_t factor);

/// A decimal number, perhaps with a fraction and an exponent.
std::optional<double> parseDecimal(std::string_view text);

}  // namespace resp
