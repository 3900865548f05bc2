#include "waits.hpp"

#include <string_view>

#include "branches.hpp"
#include "extras.hpp"
#include "step.hpp"
#include "stopping.hpp"

/// What a line waits for: the table of the chapter, which the engine's states and what kinds say of
/// themselves fill.
namespace steptree::detail {

Waits waitsOfExtra(Step& step) noexcept {
    auto* const wait = static_cast<WaitExtra*>(findExtra(step, Extra::wait));
    return wait != nullptr && wait->ops->waits != nullptr ? wait->ops->waits(*wait) : Waits{};
}

Step* unstartedOf(Step& host) noexcept {
    const auto unstarted = kindOf(host).unstarted;
    return unstarted != nullptr ? unstarted(host) : nullptr;
}

namespace {

bool awaits(Step& step) noexcept {
    if (step.phase == Phase::awaiting) return true;
    auto* const awaited = static_cast<AwaitExtra*>(findExtra(step, Extra::await));
    if (step.phase != Phase::waiting || awaited == nullptr) return false;
    return !awaited->settled || (step.line->marks & kExternal) == 0;
}

bool linesRun(Step& host) noexcept {
    for (Branch* at = branchesOf(host).eldest; at != nullptr; at = at->younger) {
        if (isOpen(*at)) return true;
    }
    return unstartedOf(host) != nullptr;
}

/// Its cancel waits for the end of another flow's closing, in a queue of its own.
bool isPutOff(const Line& line) noexcept {
    return !line.isBranch() && (line.bits & (kPending | kSheltered)) == kPending;
}

Waits waitsIn(Line& line, const Waits& own) noexcept {
    Step* const top = line.top;
    if (line.queued() && !isPutOff(line)) return {Waits::turn};
    if (top == nullptr) return {Waits::code};
    if (top->phase == Phase::claimed) return {Waits::turn};
    if (isStopping(*top)) return {Waits::stop};
    const Kind& kind = kindOf(*top);
    const bool hosts = kind.hasBranches;
    const Waits inner = hosts && kind.waits != nullptr ? kind.waits(*top) : Waits{};
    if (inner.what == Waits::turn) return inner;
    if (hosts && inner.what == Waits::nothing)
        return linesRun(*top) ? own : Waits{Waits::code};  // a closing may wait for them
    switch (top->phase) {
        case Phase::body:
        case Phase::handler:
        case Phase::cancel:
        case Phase::closed:
            return {Waits::code};
        default:
            break;
    }
    if (own.what != Waits::nothing) return own;
    if (awaits(*top)) return {Waits::awaitable};
    if (top->phase != Phase::waiting) return {Waits::code};
    return {(line.marks & kExternal) != 0 ? Waits::completion : Waits::success};
}

}  // namespace

Waits waitsOf(Line& line, const Waits& own) noexcept {
    const Waits waits = waitsIn(line, own);
    // What is put off has none of its code on the stack: it has left the queue of its tool for
    // that.
    return waits.what == Waits::code && isPutOff(line) ? Waits{Waits::turn} : waits;
}

/// What waits further out, and has no lines inside, is what counts.
Waits waitsUpTo(Line& line, const Step* last) noexcept {
    Waits own;
    Step* waiting = nullptr;
    bool asked = false;
    for (Step* at = line.top; at != nullptr; at = at == last ? nullptr : at->parent) {
        const Kind& kind = kindOf(*at);
        if (kind.waits == nullptr) continue;
        const Waits waits = kind.waits(*at);
        const bool counts = waits.what != Waits::nothing && !kind.hasBranches;
        if (counts) waiting = at;
        if (counts || !asked) own = waits;
        asked = true;
    }
    if (waiting == nullptr) waiting = line.top;
    if (own.what == Waits::nothing && waiting != nullptr) own = waitsOfExtra(*waiting);
    return waitsOf(line, own);
}

const char* wordOf(Waits::For what) noexcept {
    constexpr const char* texts[] = {"",          "turn",       "code",    "stop",
                                     "guard",     "send",       "receive", "timer",
                                     "awaitable", "completion", "success"};
    return texts[what];
}

const char* callOf(Step& step) noexcept {
    const Kind& kind = kindOf(step);
    return kind.nameOf != nullptr ? kind.nameOf(step) : kind.name;
}

bool hasElement(Step& step) noexcept {
    return (step.flags & kHidden) == 0 && callOf(step) != nullptr;
}

const char* callWith(const char* around, const char* inside) noexcept {
    if (around == nullptr) return inside;
    return inside != nullptr && around == std::string_view(plainKind.name) ? inside : around;
}

}  // namespace steptree::detail
