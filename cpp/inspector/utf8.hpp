#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Texts of a program are bytes, and may be anything; what is sent is UTF-8.
namespace steptree::detail::inspecting {

struct Utf8Char {
    std::size_t bytes;
    bool isValid;

    /// As many as it takes in UTF-16, which lengths are told in.
    std::size_t units() const noexcept { return bytes == 4 ? 2 : 1; }
};

/// The one that begins there; what is none is one byte long.
Utf8Char charAt(std::string_view text, std::size_t at) noexcept;
/// The one that ends before that.
Utf8Char charBefore(std::string_view text, std::size_t end) noexcept;
std::size_t unitsOf(std::string_view text) noexcept;
void addUtf8(std::string& to, char32_t code);

}  // namespace steptree::detail::inspecting
