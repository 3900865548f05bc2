#include "knowntypes.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace steptree::detail {

namespace {

template <class... T>
constexpr std::array<const TypeDesc*, sizeof...(T)> descsOf() {
    return {&TypeDescOf<T>::desc...};
}

constexpr auto kKnown =
    descsOf<std::string, int, bool, long, unsigned, unsigned long, double, long long, float,
            unsigned long long, short, unsigned short, char, signed char, unsigned char, wchar_t,
            char8_t, char16_t, char32_t, long double, std::vector<std::string>>();

/// Most are told apart without a look at their names.
bool isAlike(const TypeDesc& one, const TypeDesc& other) noexcept {
    return one.size == other.size && one.align == other.align &&
           (one.destroy == nullptr) == (other.destroy == nullptr) && sameType(&one, &other);
}

}  // namespace

const TypeDesc& knownOr(const TypeDesc& given) noexcept {
    const auto known = std::find_if(kKnown.begin(), kKnown.end(),
                                    [&](const TypeDesc* one) { return isAlike(*one, given); });
    return known == kKnown.end() ? given : **known;
}

}  // namespace steptree::detail
