#pragma once

#include <cstdint>

#include "steptree/abi.hpp"

namespace steptree {

/// A steady clock, for whoever wants an AsyncTool to run on a time of their own (tests, replay).
/// Guide: docs/waiting.md#event-loops
///
///     AsyncTool tool({.wake = &wakeLoop, .clock = &replayed});
class STEPTREE_VISIBLE Clock {
  public:
    virtual ~Clock() = default;

    /// Nanoseconds since a fixed moment; never less than before. Read by the thread that runs the
    /// tool.
    virtual std::int64_t nanoseconds() noexcept = 0;

    /// The clock of the machine. Never destroyed.
    static Clock& steady() noexcept;
};

}  // namespace steptree
