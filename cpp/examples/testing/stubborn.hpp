#pragma once

#include <chrono>
#include <steptree/retry.hpp>
#include <utility>

/// What is tested: asks up to three times. It has no tool of its own: who runs it brings one.
template <class Ask>
auto stubborn(Ask ask) {
    using namespace std::chrono_literals;
    const steptree::Backoff backoff{.base = 100ms, .factor = 2, .jitter = 0};
    return steptree::retry({.max = 3, .backoff = backoff}, std::move(ask)).timeout(5s);
}
