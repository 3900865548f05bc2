#include "newid.hpp"

#include <array>
#include <cstdio>
#include <random>

namespace steptree::detail::redis {

std::string newId() {
    std::random_device random;
    std::string id;
    for (int i = 0; i < 4; ++i) {
        std::array<char, 9> text{};
        std::snprintf(text.data(), text.size(), "%08x", static_cast<unsigned>(random()));
        id += text.data();
    }
    return id;
}

}  // namespace steptree::detail::redis
