#include "chance.hpp"

#include <cstdint>
#include <random>

namespace steptree::detail::inspecting {

std::string chance(std::size_t bytes) {
    static constexpr char kLetters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::random_device device;
    std::string text;
    for (std::size_t i = 0; i < bytes; i += 3) {
        const std::uint32_t bits = device();
        for (int shift = 0; shift < 24; shift += 6) text += kLetters[(bits >> shift) & 63];
    }
    return text;
}

}  // namespace steptree::detail::inspecting
