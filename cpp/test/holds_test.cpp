#include "steptree/detail/holds.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "catch.hpp"

using steptree::detail::Hold;
using steptree::detail::Holds;
using steptree::detail::Line;

namespace {

/// Lines somewhere in memory. Nobody looks at what a line is.
class Lines {
  public:
    explicit Lines(std::size_t count) : memory_(kSpread * count * kSize), places_(kSpread * count) {
        std::iota(places_.begin(), places_.end(), std::size_t{0});
        std::shuffle(places_.begin(), places_.end(), std::minstd_rand(1));
    }

    const Line& operator[](std::size_t i) const {
        return *reinterpret_cast<const Line*>(memory_.data() + places_[i] * kSize);
    }

  private:
    static constexpr std::size_t kSize = 64;
    static constexpr std::size_t kSpread = 50;
    std::vector<std::byte> memory_;
    std::vector<std::size_t> places_;
};

/// How many of the lines from `first` on are found with what was added for them.
std::size_t found(Holds& holds, const Lines& lines, std::size_t first, std::size_t end) {
    std::size_t count = 0;
    for (std::size_t i = first; i < end; ++i) {
        const Hold* const hold = holds.find(lines[i]);
        if (hold != nullptr && hold->line == &lines[i]) ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("lines that have a place are found while the table of them grows", "[mutex]") {
    constexpr std::size_t kLines = 1000;
    const Lines lines(kLines);
    Holds holds;
    std::size_t all = 0;
    for (std::size_t i = 0; i < kLines; ++i) {
        holds.add(lines[i]);
        all += found(holds, lines, 0, i + 1);
    }
    CHECK(all == kLines * (kLines + 1) / 2);
}

TEST_CASE("lines that have a place are found while others give theirs back", "[mutex]") {
    constexpr std::size_t kLines = 1000;
    const Lines lines(kLines);
    Holds holds;
    for (std::size_t i = 0; i < kLines; ++i) holds.add(lines[i]);
    std::size_t all = 0, gone = 0;
    for (std::size_t i = 0; i < kLines; ++i) {
        holds.remove(*holds.find(lines[i]));
        if (holds.find(lines[i]) == nullptr) ++gone;
        all += found(holds, lines, i + 1, kLines);
    }
    CHECK(gone == kLines);
    CHECK(all == kLines * (kLines - 1) / 2);
}
