#pragma once

#include <cstdint>

#include "step.hpp"

namespace steptree::detail {

/// What a step has only when it is used. Newest first; lives in the line's arena, but for a path.
/// The kinds of it are in extras.hpp.
struct Extra {
    enum Type : std::uint8_t {
        timer,
        cancel,
        signal,
        stack,
        wait,
        await,
        values,
        shelter,
        path,
        coroutine,
        code,
        local
    };
    Extra* next;
    Type type;
    bool live = true;
    bool forgotten = false;  // a cancel handler, signal or wait after a claimed ok
};

inline Extra* findExtra(const Step& step, Extra::Type type) noexcept {
    Extra* extra = step.extras;
    while (extra != nullptr && (extra->type != type || !extra->live)) extra = extra->next;
    return extra;
}

/// The step has ended with ok: what would undo it is for nothing now.
inline void forgetUndo(Step& step) noexcept {
    for (Extra* extra = step.extras; extra != nullptr; extra = extra->next) {
        const bool undoes = extra->type == Extra::cancel || extra->type == Extra::signal ||
                            extra->type == Extra::wait;
        if (undoes) extra->forgotten = true;
    }
}

}  // namespace steptree::detail
