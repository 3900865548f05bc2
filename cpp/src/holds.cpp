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
    if (!table_.exists()) grow();
    table_.add({&line, 1, nullptr, places});
}

void Holds::grow() {
    table_.grow();
    if (one_.line == nullptr) return;
    table_.add(one_);
    one_ = {};
}

std::int64_t heldAround(Holds& holds, Line* line) noexcept {
    std::int64_t count = 0;
    while ((line = lineAround(*line)) != nullptr) {
        if (const Hold* hold = holds.find(*line)) count += hold->places;
    }
    return count;
}

}  // namespace steptree::detail
