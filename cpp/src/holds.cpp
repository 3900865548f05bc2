#include "steptree/detail/holds.hpp"

#include <utility>

namespace steptree::detail {

void Holds::addBeside(const Line& line, std::uint64_t lent) {
    if (2 * (count_ + 1) > mask_ + 1) grow();
    *place(line) = {&line, 1, lent};
    ++count_;
}

void Holds::removeFromTable(Hold& hold) noexcept {
    --count_;
    // Those behind it move up, so that nobody is looked for across a gap.
    auto gap = static_cast<std::size_t>(&hold - table_.get());
    for (std::size_t at = (gap + 1) & mask_; table_[at].line != nullptr; at = (at + 1) & mask_) {
        const std::size_t distance = (at - home(*table_[at].line)) & mask_;
        if (distance < ((at - gap) & mask_)) continue;
        table_[gap] = table_[at];
        gap = at;
    }
    table_[gap] = {};
}

void Holds::grow() {
    const std::size_t size = mask_ == 0 ? 8 : 2 * (mask_ + 1);
    const std::unique_ptr<Hold[]> old = std::exchange(table_, std::make_unique<Hold[]>(size));
    const std::size_t oldSize = old != nullptr ? mask_ + 1 : 0;
    mask_ = size - 1;
    if (one_.line != nullptr) {
        *place(*one_.line) = one_;
        one_ = {};
    }
    for (std::size_t at = 0; at < oldSize; ++at) {
        if (old[at].line != nullptr) *place(*old[at].line) = old[at];
    }
}

}  // namespace steptree::detail
