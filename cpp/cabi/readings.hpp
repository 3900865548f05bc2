#pragma once

#include <cstdint>
#include <type_traits>

#include "steptree/breaker.hpp"
#include "steptree/steptree.h"

namespace steptree::cabi {

/// What a guard says of itself.
template <class G>
steptree_guard_reading readingOf(const G& guard) {
    steptree_guard_reading into{};
    into.waiting = guard.waiting();
    into.active = into.available = -1;
    if constexpr (requires { guard.active(); }) into.active = guard.active();
    if constexpr (requires { guard.available(); }) into.available = guard.available();
    if constexpr (requires { guard.state(); }) {
        const BreakerState state = guard.state();
        into.state = state == BreakerState::closed ? 1 : state == BreakerState::open ? 2 : 3;
    }
    return into;
}

}  // namespace steptree::cabi
