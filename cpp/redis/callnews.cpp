#include "callnews.hpp"

namespace steptree::detail::redis {

void CallNews::heard(const std::string& text) noexcept {
    if (text.empty()) return waker_->gate.open();
    const std::lock_guard locked(mutex_);
    try {
        ids_.push_back(text);
    } catch (...) {
        isMissing_ = true;
    }
    gate.open();
}

void CallNews::again() noexcept {
    const std::lock_guard locked(mutex_);
    isMissing_ = true;
    gate.open();
}

std::pair<std::vector<std::string>, bool> CallNews::taken() noexcept {
    const std::lock_guard locked(mutex_);
    gate.close();
    return {std::exchange(ids_, {}), std::exchange(isMissing_, false)};
}

}  // namespace steptree::detail::redis
