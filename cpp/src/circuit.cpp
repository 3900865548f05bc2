#include "steptree/detail/circuit.hpp"

#include <utility>

namespace steptree::detail {

Circuit::Circuit(const Settings& settings, CallWindow window) noexcept
    : settings_(settings), window_(std::move(window)) {}

BreakerState Circuit::state(std::int64_t now) noexcept {
    if (state_ == BreakerState::open && now >= until_) {
        become(BreakerState::halfOpen);
        free_ = missing_ = settings_.probes;
    }
    return state_;
}

bool Circuit::admits() const noexcept {
    return state_ == BreakerState::closed || (state_ == BreakerState::halfOpen && free_ > 0);
}

std::int64_t Circuit::enter() noexcept {
    if (state_ == BreakerState::halfOpen) --free_;
    return phase_;
}

std::int64_t Circuit::delay(std::int64_t now) noexcept {
    return state(now) == BreakerState::open ? until_ - now : -1;
}

void Circuit::left(std::int64_t phase, Told told, std::int64_t now) noexcept {
    if (!counts(phase)) return;
    const bool failed = told == Told::failed;
    if (told == Told::nothing) {
        ++free_;
    } else if (state_ == BreakerState::halfOpen) {
        probed(failed, now);
    } else {
        called(failed, now);
    }
}

void Circuit::probed(bool failed, std::int64_t now) noexcept {
    if (failed) return open(now);
    if (--missing_ > 0) return;
    become(BreakerState::closed);
    window_.clear();
}

void Circuit::called(bool failed, std::int64_t now) noexcept {
    window_.count(failed, now);
    const auto calls = static_cast<double>(window_.calls());
    const auto failures = static_cast<double>(window_.failures());
    if (window_.calls() >= settings_.minCalls && failures / calls >= settings_.rate) open(now);
}

void Circuit::open(std::int64_t now) noexcept {
    become(BreakerState::open);
    until_ = now + settings_.openFor;
}

void Circuit::become(BreakerState state) noexcept {
    state_ = state;
    ++phase_;
}

}  // namespace steptree::detail
