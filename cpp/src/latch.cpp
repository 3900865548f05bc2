#include "latch.hpp"

#include <atomic>
#include <cstring>
#include <utility>

#include "completion.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "fixed.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "misuse.hpp"
#include "ontool.hpp"
#include "timer.hpp"

/// The accessor: what a body, a handler or a waiting step asks for.
namespace steptree::detail {

namespace {

const char* nameOf(Phase phase) noexcept {
    switch (phase) {
        case Phase::inner:
            return "its inner steps run";
        case Phase::cancel:
            return "it is in a cancel handler";
        case Phase::claimed:
            return "its outcome is known";
        case Phase::waiting:
            return "it waits";
        default:
            return "it is closed";
    }
}

/// A step that replaces its cancel handler again and again takes turns between two records.
CancelExtra& roomForCancel(Step& step, std::uint32_t size) {
    for (Extra* extra = step.extras; extra != nullptr; extra = extra->next) {
        if (extra->type != Extra::cancel) continue;
        auto& cancel = static_cast<CancelExtra&>(*extra);
        if (cancel.vacant && cancel.room >= size) return cancel;
    }
    auto& made = newExtra<CancelExtra>(step, Extra::cancel, size);
    made.room = size;
    made.live = false;
    made.vacant = true;
    link(step, made);
    return made;
}

/// The body latches: from now on completions of other threads come too late.
inline void shut(Line& line) noexcept {
    if (line.slot != nullptr) static_cast<void>(line.slot->take());
}

/// Of a call of error(): latched or claimed.
void put(Step& step, ErrorRef made) noexcept {
    if (step.phase == Phase::waiting) {
        claimFail(step, std::move(made));
    } else {
        shut(*step.line);
        latchFail(*step.line, std::move(made));
    }
}

ErrorRef errorOf(Step& step, std::string_view code, std::string_view info,
                 const std::exception_ptr* cause) {
    checkCall(step, "error");
    if (code.empty()) {
        return raisedBy(step, errors::InternalError, "error: expected a code, got ''");
    }
    ErrorRef made = raisedBy(step, code, info);
    if (cause != nullptr) giveCause(*made.get(), *cause);
    return made;
}

/// The nearest one around the step that is meant. A cleanup has none around it.
template <class IsMeant>
Step* nearestLoop(Step& from, IsMeant isMeant) noexcept {
    for (Step* step = &from; kindOf(*step).element != PathElement::deferred;) {
        step = step->parent;
        if (step == nullptr) return nullptr;
        if (kindOf(*step).isLoop && isMeant(*step)) return step;
    }
    return nullptr;
}

/// Of all loops that there ever were: signals go from thread to thread.
std::uint32_t nextRun() noexcept {
    static std::atomic<std::uint32_t> last;
    const std::uint32_t next = ++last;
    return next != 0 ? next : ++last;
}

/// Its run and its place. Nothing is added to a loop itself, so that `count` is free for it.
std::uint64_t numberOf(Step& loop) noexcept {
    const auto place = reinterpret_cast<std::uintptr_t>(&loop);
    return std::uint64_t{loop.count} << 32 | static_cast<std::uint32_t>(place / alignof(Step));
}

/// What tells the loop from those that were or will be in its place: signals are kept, and thrown
/// wherever their owner likes.
std::uint64_t numberLoop(Step& loop) noexcept {
    if (loop.count == 0) loop.count = nextRun();
    return numberOf(loop);
}

}  // namespace

void invalid(const Step& step, const char* call) {
    const bool remote = step.phase == Phase::waiting && claimedRemotely(step);
    misuse(std::string(call) +
           ": the accessor is not valid: " + nameOf(remote ? Phase::claimed : step.phase));
}

void dropError(Line& line) noexcept {
    // What an exception owns may call the accessor when it is destroyed.
    while ((line.marks & kError) != 0 && line.error != nullptr) {
        ErrorRef(std::exchange(line.error, nullptr));
    }
    line.marks &= ~std::uint32_t{kError | kControl | kBreak};
}

void latchControl(Line& line, Step& loop, bool isBreak) noexcept {
    dropError(line);
    line.target = &loop;
    line.marks |= isBreak ? kControl | kBreak : kControl;
}

void dropMarks(Line& line) noexcept {
    dropError(line);
    line.marks = 0;
}

bool Step::valid() const noexcept {
    return (line->core().onOwnThread() || isHere(line->core())) && listens(*this);
}

void Step::succeed(Results* values) {
    checkThreadOften(line->core(), "success");
    if (latches()) {
        const bool again = (line->marks & kSuccess) != 0;
        if (!again) line->keepValues(values);
        shut(*line);
        line->marks |= again ? kSuccess | kSuccessAgain : kSuccess;
    } else if (phase == Phase::waiting && !claimedRemotely(*this)) {
        line->keepValues(values);
        claimOk(*this);
    } else {
        invalid(*this, "success");
    }
}

void Step::keepReturned(Results& value) {
    if (value.empty() || (line->marks & kLatched) != 0) return;
    line->keepValues(&value);
    const bool isAlone = next == nullptr && (line->marks & kExternal) == 0;
    line->marks |= isAlone ? kSuccess : kValue;  // settle() refuses that
}

void Step::fail(std::string_view code, std::string_view info, const std::exception_ptr* cause) {
    put(*this, errorOf(*this, code, info, cause));
}

ErrorData* Step::raise(std::string_view code, std::string_view info,
                       const std::exception_ptr* cause) {
    ErrorRef made = errorOf(*this, code, info, cause);
    ErrorRef kept = made;
    if (made->ops != nullptr) made->ops->escape(*made.get());
    put(*this, std::move(made));
    return kept.detach();
}

Step* findLoop(Step& from, std::string_view label) noexcept {
    return nearestLoop(from, [label](Step& loop) {
        return label.empty() || ((loop.flags & kLabelled) != 0 && labelOf(loop) == label);
    });
}

Step* findLoop(Step& from, std::uint64_t number) noexcept {
    return nearestLoop(from, [number](Step& loop) { return numberOf(loop) == number; });
}

/// The number of the loop, if the caller has to throw.
std::uint64_t Step::control(std::string_view label, bool isBreak, bool throws) {
    checkCall(*this, isBreak ? "breakLoop" : "continueLoop");
    Step* loop = findLoop(*this, label);
    if (loop == nullptr) {
        const std::string info = label.empty()
                                     ? "there is no loop around"
                                     : "there is no loop '" + std::string(label) + "' around";
        if (throws) error(errors::InternalError, info);
        errorNoThrow(errors::InternalError, info);
        return 0;
    }
    const std::uint64_t number = throws ? numberLoop(*loop) : 0;
    if (phase == Phase::waiting) {
        claimControl(*this, *loop, isBreak);
        return number;
    }
    shut(*line);
    latchControl(*line, *loop, isBreak);
    return number;
}

void Step::armTimeout(std::int64_t ms) {
    checkThreadOften(line->core(), "setTimeout");
    if (!listens(*this)) invalid(*this, "setTimeout");
    checkDelay("setTimeout", ms);
    armStep(*this, ms);
    line->marks |= kWait;
}

void Step::armTimeout(std::int64_t ms, std::string_view code) {
    checkCall(*this, "setTimeout");
    checkDelay("setTimeout", ms);
    if (code.empty()) misuse("setTimeout: expected a code that is not empty");
    armStep(*this, ms, code);
    line->marks |= kWait;
}

void Step::keepCancel(const ClosureOps& ops, void* source) {
    checkCall(*this, "setCancel");
    checkFits(*line, ops);
    CancelExtra& extra = roomForCancel(*this, ops.size);
    extra.vacant = false;  // a copy constructor may set another one
    try {
        constructClosure(ops, extra.closure(), source);
    } catch (...) {
        extra.vacant = true;
        throw;
    }
    extra.ops = &ops;
    auto* old = static_cast<CancelExtra*>(findExtra(*this, Extra::cancel));
    extra.live = true;
    line->marks |= kWait;
    if (old == nullptr) return;
    old->live = false;
    destroyClosure(this, *old->ops, old->closure());
    old->vacant = true;
}

Completion Step::waitExternal() {
    checkThreadOften(line->core(), "waitExternal");
    if (!listens(*this)) invalid(*this, "waitExternal");
    if (phase != Phase::handler && line->slot == nullptr) {
        line->slot = line->core().slots.acquire(this);
    }
    line->marks |= kExternal;
    if (phase == Phase::handler) return {};
    line->core().retain();
    return {Completion::Counted{}, *line->slot, line->slot->generation()};
}

IFlow* Step::makeFlow() {
    checkCall(*this, "newInstance");
    return instanceOf(*line->flow).release();
}

State& Step::state() {
    checkThread(line->core(), "state");
    return flowExtrasOf(*line->flow).state;
}

IAsyncSteps::StackPlace Step::reserveStack(std::size_t size, std::size_t align,
                                           void (*destroy)(void*)) {
    checkCall(*this, "stack");
    const std::size_t slack = align > alignof(void*) ? align - alignof(void*) : 0;
    auto& extra = newExtra<StackExtra>(*this, Extra::stack, size + slack);
    const auto begin = reinterpret_cast<std::uintptr_t>(&extra + 1);
    extra.destroy = destroy;
    extra.object = reinterpret_cast<void*>((begin + align - 1) / align * align);
    return {extra.object, &extra};
}

void Step::keepStack(StackPlace place) noexcept {
    link(*this, *static_cast<StackExtra*>(place.record));
}

}  // namespace steptree::detail
