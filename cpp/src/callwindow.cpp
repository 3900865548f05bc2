#include "steptree/detail/callwindow.hpp"

#include <algorithm>

namespace steptree::detail {

namespace {

constexpr std::int64_t parts(std::int64_t whole, std::int64_t part) noexcept {
    return whole / part + (whole % part != 0 ? 1 : 0);
}

}  // namespace

CallWindow CallWindow::ofCalls(std::int64_t most) {
    CallWindow window;
    window.failed_.resize(static_cast<std::size_t>(most));
    return window;
}

CallWindow CallWindow::ofTime(std::int64_t period) {
    CallWindow window;
    window.slice_ = parts(period, 10);
    window.slices_.resize(static_cast<std::size_t>(parts(period, window.slice_)));
    return window;
}

std::int64_t CallWindow::failuresAt(std::int64_t now) noexcept {
    if (!slices_.empty()) advance(now / slice_);
    return all_.failures;
}

void CallWindow::count(bool failed, std::int64_t now) noexcept {
    if (slices_.empty()) return countLast(failed);
    advance(now / slice_);
    Count& slice = at(latest_);
    ++all_.calls;
    ++slice.calls;
    if (!failed) return;
    ++all_.failures;
    ++slice.failures;
}

void CallWindow::clear() noexcept {
    all_ = {};
    next_ = 0;
    std::fill(slices_.begin(), slices_.end(), Count{});
}

void CallWindow::countLast(bool failed) noexcept {
    if (all_.calls < static_cast<std::int64_t>(failed_.size())) {
        ++all_.calls;
    } else if (failed_[next_]) {
        --all_.failures;
    }
    if (failed) ++all_.failures;
    failed_[next_] = failed;
    next_ = (next_ + 1) % failed_.size();
}

void CallWindow::advance(std::int64_t to) noexcept {
    const auto length = static_cast<std::int64_t>(slices_.size());
    for (std::int64_t i = std::max(latest_, to - length); i < to;) empty(++i);
    latest_ = std::max(latest_, to);
}

void CallWindow::empty(std::int64_t slice) noexcept {
    Count& gone = at(slice);
    all_.calls -= gone.calls;
    all_.failures -= gone.failures;
    gone = {};
}

}  // namespace steptree::detail
