#include "texts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace steptree::detail {

namespace {

constexpr std::size_t kCharacters = 64;
constexpr std::string_view kEllipsis = "…";
constexpr std::uint32_t kAlign = 4;  // so no place + 1 is 0

bool begins(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

}  // namespace

std::size_t Texts::roomFor(std::size_t events) noexcept {
    return std::bit_ceil(std::max<std::size_t>(16'384, 16 * events));
}

/// One that is far from the end is written again: so what has an end is gone in its order.
Texts::Ref Texts::note(std::string_view text) noexcept {
    if (text.empty()) return 0;
    Ref& known = known_[std::hash<std::string_view>{}(text) % known_.size()];
    if (known == 0 || !isRecent(known) || at(known) != text) known = write(text);
    return known;
}

Texts::Ref Texts::write(std::string_view text) noexcept {
    const auto size = static_cast<std::uint16_t>(text.size());
    const auto taken = static_cast<std::uint32_t>(sizeof size + size + kAlign - 1) & ~(kAlign - 1);
    std::uint32_t place = end_ % room_;
    if (place + taken > room_) {
        end_ += room_ - place;
        place = 0;
    }
    std::memcpy(&bytes_[place], &size, sizeof size);
    std::memcpy(&bytes_[place + sizeof size], text.data(), size);
    const Ref ref = end_ + 1;
    end_ += taken;
    return ref;
}

std::string_view Texts::at(Ref ref) const noexcept {
    if (ref == 0) return {};
    const char* const place = &bytes_[(ref - 1) % room_];
    std::uint16_t size = 0;
    std::memcpy(&size, place, sizeof size);
    return {place + sizeof size, size};
}

std::string_view shortened(std::string_view text, std::array<char, Texts::kMost>& into) noexcept {
    if (text.size() <= kCharacters) return text;
    std::size_t characters = 0;
    std::size_t cut = 0;  // where the last one begins that there may be
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool isOver = i == into.size();
        if (!isOver && !begins(text[i])) continue;
        if (isOver || ++characters > kCharacters) {
            std::copy_n(text.data(), cut, into.data());
            std::copy(kEllipsis.begin(), kEllipsis.end(), into.data() + cut);
            return {into.data(), cut + kEllipsis.size()};
        }
        if (i + kEllipsis.size() <= into.size()) cut = i;
    }
    return text;
}

}  // namespace steptree::detail
