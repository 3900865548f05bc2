#pragma once

#include <cstdint>

#include "step.hpp"

/// Calls of handlers.
namespace steptree::detail {

/// What a frame's error handler has left.
enum class Left : std::uint8_t {
    error,    // what goes on to the parent
    control,  // is latched
    steps,
    ok,
    nothing  // that counts: the flow is to be cancelled
};
Left handle(Line& line, Step& step, ErrorRef& error) noexcept;

}  // namespace steptree::detail
