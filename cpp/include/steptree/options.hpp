#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>

#include "steptree/detail/function.hpp"

namespace steptree {

/// What a flow may be made with; `newInstance` hands it on. Move-only: many flows share one as a
/// `std::shared_ptr<const Options>`, see StartOptions and Scope.
/// Guide: docs/production.md#what-nobody-has-caught
struct Options {
    /// Gets code, info, what was thrown, and the path of the step. May not throw.
    using Hook = detail::Function<void(const std::string& code, const std::string& info,
                                       std::exception_ptr exception, const std::string& path)>;

    /// The default of `burst`.
    static constexpr std::uint32_t kBurst = 100;
    /// The default of `grace`.
    static constexpr std::chrono::milliseconds kGrace{5000};

    /// What snapshots call the flow, to tell it from others. Default: none.
    std::string name{};

    /// How many bodies the root line may run in one turn, 1 or more. Default: 100.
    std::uint32_t burst = kBurst;

    /// An error that reached the root of a flow without `done` and promise. From the tool. Without
    /// it the error is printed and the process aborts. May not throw.
    mutable Hook unhandled{};

    /// What is no error of the flow: an exception out of a cancel handler, of an awaitable's
    /// `cancel`. Called where it happens. Printed without a hook.
    mutable Hook report{};

    /// How long each deferred function has, with all that it adds, till it is abandoned and
    /// `report` is told; so long is waited for what takes time to stop, too. Not negative. Default:
    /// 5 s. Guide: docs/cleanup.md#nothing-from-outside-ends-a-cleanup
    std::chrono::milliseconds grace = kGrace;
};

}  // namespace steptree
