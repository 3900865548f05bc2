#include "steptree/detail/holds.hpp"

#include <utility>

#include "waiters.hpp"

namespace steptree::detail {

void KeptHold::letGo() noexcept {
    const std::shared_ptr<Anchor> of = anchor;
    const std::lock_guard locked(of->mutex);
    if (--count > 0) return;
    if (of->guard != nullptr) of->free(of->guard, *this);
    delete this;
}

Keeps::~Keeps() {
    if (anchor_ == nullptr) return;
    const std::lock_guard locked(anchor_->mutex);
    anchor_->guard = nullptr;
}

KeptHold* Keeps::keep(Hold& hold, bool writes) noexcept {
    if (!keeps_) return nullptr;
    try {
        if (anchor_ == nullptr) {
            anchor_ = std::make_shared<Anchor>();
            anchor_->free = free_;
            anchor_->guard = guard_;
        }
        if (hold.kept == nullptr) {
            hold.kept = new KeptHold;
            hold.kept->anchor = anchor_;
            hold.kept->line = hold.line;
            hold.kept->writes = writes;
            hold.kept->places = hold.places;
        }
        ++hold.kept->count;
        return hold.kept;
    } catch (...) {
        return nullptr;
    }
}

void Holds::addBeside(const Line& line, std::int64_t places) {
    if (2 * (count() + 1) > mask_ + 1) grow();
    *place(line) = {&line, 1, nullptr, places};
    ++inTable_;
}

void Holds::removeFromTable(Hold& hold) noexcept {
    --inTable_;
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
        inTable_ = 1;
    }
    for (std::size_t at = 0; at < oldSize; ++at) {
        if (old[at].line != nullptr) *place(*old[at].line) = old[at];
    }
}

std::int64_t heldAround(Holds& holds, Line* line) noexcept {
    std::int64_t count = 0;
    while ((line = lineAround(*line)) != nullptr) {
        if (const Hold* hold = holds.find(*line)) count += hold->places;
    }
    return count;
}

}  // namespace steptree::detail
