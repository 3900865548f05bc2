#pragma once

#include <exception>
#include <system_error>
#include <utility>

#include "step.hpp"

namespace steptree::detail {

/// An error of the step for an exception that isn't ours, which is being handled.
ErrorRef foreignError(Step& at, const std::system_error& thrown) noexcept;
ErrorRef foreignError(Step& at, const std::exception& thrown) noexcept;
ErrorRef foreignError(Step& at) noexcept;

/// Calls `act`. The one place that knows what an exception is: it goes to what `taker` makes then,
/// as a StepError, a LoopControl, or as the error that a foreign one stands for.
template <class Act, class Taker>
inline void takeThrown(Step& at, Act act, Taker taker) noexcept {
    try {
        act();
    } catch (const StepError& thrown) {
        taker().take(thrown);
    } catch (const LoopControl& thrown) {
        taker().take(thrown);
    } catch (const std::system_error& thrown) {
        taker().take(foreignError(at, thrown));
    } catch (const std::exception& thrown) {
        taker().take(foreignError(at, thrown));
    } catch (...) {
        taker().take(foreignError(at));
    }
}

/// Latches it on the line. The exception that the standing latch threw changes nothing.
struct Latching {
    Line& line;
    Step& step;

    void take(const StepError& thrown) noexcept;
    void take(const LoopControl& thrown) noexcept;
    void take(ErrorRef error) noexcept;
};

}  // namespace steptree::detail
