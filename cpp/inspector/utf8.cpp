#include "utf8.hpp"

#include <algorithm>

namespace steptree::detail::inspecting {

namespace {

unsigned byteAt(std::string_view text, std::size_t at) noexcept {
    return static_cast<unsigned char>(text[at]);
}

bool isTail(unsigned byte) noexcept {
    return (byte & 0xC0) == 0x80;
}

/// 0: none begins with it.
std::size_t lengthBy(unsigned lead) noexcept {
    if (lead < 0x80) return 1;
    if (lead < 0xC2) return 0;
    if (lead < 0xE0) return 2;
    if (lead < 0xF0) return 3;
    return lead < 0xF5 ? 4 : 0;
}

/// Neither longer than it has to be, nor half of a pair, nor beyond the last one.
bool isAllowed(unsigned lead, unsigned second) noexcept {
    switch (lead) {
        case 0xE0:
            return second >= 0xA0;
        case 0xED:
            return second < 0xA0;
        case 0xF0:
            return second >= 0x90;
        case 0xF4:
            return second < 0x90;
        default:
            return true;
    }
}

}  // namespace

Utf8Char charAt(std::string_view text, std::size_t at) noexcept {
    constexpr Utf8Char kNone{1, false};
    const unsigned lead = byteAt(text, at);
    const std::size_t length = lengthBy(lead);
    if (length == 0 || text.size() - at < length) return kNone;
    if (length > 1 && !isAllowed(lead, byteAt(text, at + 1))) return kNone;
    for (std::size_t i = 1; i < length; ++i) {
        if (!isTail(byteAt(text, at + i))) return kNone;
    }
    return {length, true};
}

Utf8Char charBefore(std::string_view text, std::size_t end) noexcept {
    for (std::size_t length = 1; length <= std::min<std::size_t>(4, end); ++length) {
        const Utf8Char found = charAt(text, end - length);
        if (found.isValid && found.bytes == length) return found;
    }
    return {1, false};
}

std::size_t unitsOf(std::string_view text) noexcept {
    std::size_t units = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char next = charAt(text, at);
        units += next.units();
        at += next.bytes;
    }
    return units;
}

void addUtf8(std::string& to, char32_t code) {
    const auto add = [&to](char32_t byte) { to += static_cast<char>(byte); };
    const auto tail = [&](unsigned shift) { add(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) return add(code);
    if (code < 0x800) {
        add(0xC0 | (code >> 6));
    } else if (code < 0x10000) {
        add(0xE0 | (code >> 12));
        tail(6);
    } else {
        add(0xF0 | (code >> 18));
        tail(12);
        tail(6);
    }
    tail(0);
}

}  // namespace steptree::detail::inspecting
