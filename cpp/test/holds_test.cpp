#include "steptree/detail/holds.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "catch.hpp"

using steptree::detail::Hold;
using steptree::detail::Holds;
using steptree::detail::Line;

TEST_CASE("lines that have a place are found while the table of them grows", "[mutex]") {
    constexpr std::size_t kLines = 1000;
    constexpr std::size_t kApart = 64;
    const std::vector<std::byte> memory(kLines * kApart);
    // Nobody looks at what a line is.
    const auto line = [&](std::size_t i) -> const Line& {
        return *reinterpret_cast<const Line*>(memory.data() + i * kApart);
    };
    Holds holds;
    std::size_t found = 0;
    for (std::size_t i = 0; i < kLines; ++i) {
        holds.add(line(i), i + 1);
        for (std::size_t j = 0; j <= i; ++j) {
            const Hold* const hold = holds.find(line(j));
            if (hold != nullptr && hold->lent == j + 1) ++found;
        }
    }
    CHECK(found == kLines * (kLines + 1) / 2);
}
