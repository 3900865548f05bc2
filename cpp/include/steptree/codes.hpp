// Generated from spec/errors.json by `npm run codes`; do not edit.
#pragma once

#include <string_view>

/// The codes that the runtime itself raises.
namespace steptree::errors {

/// A mistake in the program or a failure without a code of its own: misuse of a call, a bad
/// argument, a foreign exception.
inline constexpr std::string_view InternalError = "InternalError";
/// A step and everything under it took longer than its timer allows.
inline constexpr std::string_view Timeout = "Timeout";
/// The flow was cancelled; its promise is rejected with this code and the reason as info.
inline constexpr std::string_view Canceled = "Canceled";
/// A guard refused the work: its queue is full, or it is open, as a breaker.
inline constexpr std::string_view DefenseRejected = "DefenseRejected";
/// Waiting for a guard could never end, since the waiter's own enclosing lines hold it.
inline constexpr std::string_view Deadlock = "Deadlock";
/// A guard has taken back the lock of a section that was open.
inline constexpr std::string_view LeaseLost = "LeaseLost";
/// Redis doesn't answer in time, or refuses what a guard has asked it for.
inline constexpr std::string_view RedisFailed = "RedisFailed";
/// The server of a call has gone, or Redis: whether the call was run isn't known.
inline constexpr std::string_view CallLost = "CallLost";
/// The server of a call has no such method.
inline constexpr std::string_view UnknownMethod = "UnknownMethod";
/// The arguments of a call are none for its method.
inline constexpr std::string_view InvalidCall = "InvalidCall";
/// Every one of several alternatives failed; their errors are in `also`.
inline constexpr std::string_view AllFailed = "AllFailed";
/// The channel is closed: nothing can be sent, and nothing is left to receive. Or the connection
/// to Redis is closed.
inline constexpr std::string_view Closed = "Closed";
/// A flow with buffers of a fixed size has no place for another step.
inline constexpr std::string_view OutOfSteps = "OutOfSteps";
/// Stands in a chain of causes for errors that are left out of it; its info says how many.
inline constexpr std::string_view Omitted = "Omitted";
/// A body held the loop for longer than a `StallWatch` allows: told to `report`, no error of the
/// flow.
inline constexpr std::string_view Stalled = "Stalled";
/// A line waited for longer than a `StallWatch` allows: told to `report`, no error of the flow.
inline constexpr std::string_view StalledWait = "StalledWait";
/// This implementation knows the call but doesn't have the feature.
inline constexpr std::string_view NotImplemented = "NotImplemented";

}  // namespace steptree::errors

namespace steptree::detail {

/// Another attempt can't mend it: by default nothing is tried again. [flow-49]
constexpr bool isFinal(std::string_view code) noexcept {
    if (code == errors::InternalError) return true;
    if (code == errors::Canceled) return true;
    if (code == errors::Deadlock) return true;
    if (code == errors::UnknownMethod) return true;
    if (code == errors::InvalidCall) return true;
    if (code == errors::Closed) return true;
    if (code == errors::OutOfSteps) return true;
    if (code == errors::NotImplemented) return true;
    return false;
}

}  // namespace steptree::detail
