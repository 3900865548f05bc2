#include "numbers.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>

namespace resp {

namespace {

constexpr std::int64_t int64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int64Min = std::numeric_limits<std::int64_t>::min();

std::size_t skipDigits(std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at;
}

std::size_t skipSign(std::string_view text, std::size_t at) {
    return at < text.size() && (text[at] == '+' || text[at] == '-') ? at + 1 : at;
}

bool isDecimal(std::string_view text) {
    const std::size_t start = skipSign(text, 0);
    std::size_t at = skipDigits(text, start);
    std::size_t digits = at - start;
    if (at < text.size() && text[at] == '.') {
        const std::size_t fraction = at + 1;
        at = skipDigits(text, fraction);
        digits += at - fraction;
    }
    if (digits == 0) return false;
    if (at == text.size()) return true;
    if (text[at] != 'e' && text[at] != 'E') return false;
    const std::size_t exponent = skipSign(text, at + 1);
    return exponent < text.size() && skipDigits(text, exponent) == text.size();
}

}  // namespace

std::optional<std::int64_t> parseInteger(std::string_view text) {
    const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    if (digits.empty() || (digits.front() == '0' && text != "0")) return std::nullopt;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::int64_t> increment(std::int64_t value) {
    if (value == int64Max) return std::nullopt;
    return value + 1;
}

std::optional<std::int64_t> multiply(std::int64_t value, std::int64_t factor) {
    if (value > int64Max / factor || value < int64Min / factor) return std::nullopt;
    return value * factor;
}

std::optional<double> parseDecimal(std::string_view text) {
    if (!isDecimal(text)) return std::nullopt;
    return std::strtod(std::string(text).c_str(), nullptr);
}

}  // namespace resp
