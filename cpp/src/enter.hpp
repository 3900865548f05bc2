#pragma once

#include <cstdint>
#include <exception>

#include "foreign.hpp"
#include "step.hpp"

/// The door to code of the program: bodies, handlers, sources, what is destroyed. It may cancel the
/// flow that runs it, and throw. A call answers what has happened, and no answer is dropped: who
/// needs none says so.
namespace steptree::detail {

enum class [[nodiscard]] Entered : std::uint8_t{
    on, threw,
    cancelled  // so what it has thrown doesn't count
};

/// Of code that has told its errors elsewhere, or has none.
inline Entered answer(const Line& line) noexcept {
    return cancelled(line) ? Entered::cancelled : Entered::on;
}

/// A closure, which notes on the step's line what it throws.
inline void enterForGood(Step& step, const ClosureOps& ops, void* closure,
                         CallArgs& args) noexcept {
    ops.call(step, closure, args);
}
inline Entered enter(Step& step, const ClosureOps& ops, void* closure, CallArgs& args) noexcept {
    enterForGood(step, ops, closure, args);
    return answer(*step.line);
}

/// What `code` throws becomes an error of the step.
template <class Code>
[[gnu::always_inline]] inline ErrorRef enterForGood(Step& step, Code code) noexcept {
    try {
        code();
        return {};
    } catch (...) {
        return toRecord(std::current_exception(), step);
    }
}
template <class Code>
[[gnu::always_inline]] inline Entered enter(Step& step, ErrorRef& error, Code code) noexcept {
    try {
        code();
        return answer(*step.line);
    } catch (...) {
        error = toRecord(std::current_exception(), step);
        return cancelled(*step.line) ? Entered::cancelled : Entered::threw;
    }
}

/// Destroys the values of the line.
inline Entered forgetValues(Line& line) noexcept {
    if (line.values == nullptr) return Entered::on;
    line.values->clear();
    return answer(line);
}

}  // namespace steptree::detail
