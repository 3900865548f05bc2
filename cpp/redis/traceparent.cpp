#include "traceparent.hpp"

#include <algorithm>
#include <cstddef>

namespace steptree::detail::redis {

namespace {

constexpr std::size_t kMost = 512;
constexpr std::size_t kKnown = 55;  // 00-TRACE-PARENT-01; a newer version may go on

bool isHex(std::string_view text) noexcept {
    return std::ranges::all_of(
        text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Neither of them may be zero.
bool isId(std::string_view text) noexcept {
    return isHex(text) && text.find_first_not_of('0') != text.npos;
}

}  // namespace

bool isTrace(std::string_view text) noexcept {
    if (text.size() < kKnown || text.size() > kMost) return false;
    const std::string_view version = text.substr(0, 2);
    const std::string_view more = text.substr(kKnown);
    const bool hasDashes = text[2] == '-' && text[35] == '-' && text[52] == '-';
    if (!hasDashes || !isHex(version) || version == "ff") return false;
    if (!isId(text.substr(3, 32)) || !isId(text.substr(36, 16)) || !isHex(text.substr(53, 2))) {
        return false;
    }
    return more.empty() || (more[0] == '-' && std::ranges::all_of(more, [](char c) {
                                return c >= '\x21' && c <= '\x7e';
                            }));
}

}  // namespace steptree::detail::redis
