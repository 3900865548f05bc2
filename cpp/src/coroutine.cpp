#include "steptree/detail/coroutine.hpp"

#include "coroutine.hpp"
#include "enter.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "fixed.hpp"
#include "foreign.hpp"
#include "latch.hpp"

/// Bodies that are coroutines. To the engine such a body is a closure that is called again when the
/// steps that it has added have ended:
///
///     body -> its steps, in phase inner -> body -> ... -> over: the step is settled as any other
///
/// While the step has kResumes, an error that comes from inside and the end of its level are the
/// coroutine's. Whatever ends the step otherwise destroys it where it stands; so does a success,
/// error or loop control that was latched when it suspended itself.
namespace steptree::detail {

namespace {

/// Its closure is behind.
struct CoroutineExtra : Extra {
    const ClosureOps* ops;
    ErrorData* error;    // that it is going to hear of; one reference
    std::uint32_t mark;  // the arena when it went on last
    bool keeps;          // more than the steps that it has added has been put there since

    void* closure() noexcept { return this + 1; }
};

CoroutineExtra* coroutineOf(Step& step) noexcept {
    return static_cast<CoroutineExtra*>(findExtra(step, Extra::coroutine));
}

void destroyCoroutine(Step& step, CoroutineExtra& extra) noexcept {
    step.flags &= static_cast<std::uint16_t>(~kResumes);
    extra.live = false;
    extra.ops->destroy(extra.closure());  // never throws
}

/// An error that the coroutine was told of, and has let through, goes on as it came.
void keepIdentity(Line& line, const ErrorRef& told) noexcept {
    if (!told || (line.marks & kError) == 0) return;
    const ErrorData& left = *line.error;
    const bool isSame =
        left.origin == told.get() || (left.native != nullptr && left.native == told->native);
    if (isSame) latchFail(line, told);
}

/// Of one that is over.
void keepResult(Line& line, Step& step, Results& result) noexcept {
    line.marks |= kSettled;
    if (result.empty() || (line.marks & kLatched) != 0 || kindOf(step).dropsValue) return;
    try {
        line.keepValues(&result);
        line.marks |= kValue;
    } catch (...) {
        latchFail(line, toRecord(std::current_exception(), step));
    }
}

/// What it leaves is for settle().
void enterCoroutine(Step& step, CoroutineExtra& extra) noexcept {
    Line& line = *step.line;
    extra.mark = line.arena.mark();
    line.marks |= kCloses;
    Resumption how;
    how.error = ErrorRef(std::exchange(extra.error, nullptr));
    if (how.error) sortAlso(*how.error.get());
    how.values = line.values;
    enterForGood(step, *extra.ops, extra.closure(), how);
    extra.keeps = (line.marks & kKeeps) != 0;
    if (!how.isOver) return;
    destroyCoroutine(step, extra);
    keepIdentity(line, how.error);
    keepResult(line, step, how.result);
}

/// Of the tool's pool.
std::size_t sizeClassOf(std::size_t size) noexcept {
    std::size_t sizeClass = BlockPool::kTask;
    while (sizeClass <= BlockPool::kLargest && BlockPool::kSizes[sizeClass] < size) ++sizeClass;
    return sizeClass;
}

void giveBack(ToolCore& core, void* head, std::size_t size) noexcept {
    size += sizeof(FrameHead);
    const std::size_t sizeClass = sizeClassOf(size);
    if (sizeClass > BlockPool::kLargest) return core.blocks.putBack(head, size);
    core.blocks.give(head, sizeClass);
}

}  // namespace

void Step::keepCoroutine(const ClosureOps& ops, void* source) {
    if (phase != Phase::body) {
        line->marks |= kAwaitable;
        return;
    }
    auto& extra = newExtra<CoroutineExtra>(*this, Extra::coroutine, ops.size);
    constructClosure(ops, extra.closure(), source);
    extra.ops = &ops;
    link(*this, extra);
    flags |= kResumes;
    enterCoroutine(*this, extra);
}

void* Step::takeFrame(std::size_t size) {
    if (fixedOf(*line->flow) != nullptr) {
        outOfSteps(*line, "a coroutine: there is no place for its frame of " +
                              std::to_string(size) + " bytes in a flow of fixed size");
    }
    ToolCore& core = line->core();
    size += sizeof(FrameHead);
    const std::size_t sizeClass = sizeClassOf(size);
    void* const memory =
        sizeClass > BlockPool::kLargest ? core.blocks.obtain(size) : core.blocks.take(sizeClass);
    return ::new (memory) FrameHead{&giveBack, &core} + 1;
}

bool isSuspended(Line& line, Step& step) noexcept {
    if ((line.marks & kLatched) != 0) {
        dropCoroutine(step, nullptr);
        return false;
    }
    releaseSlot(line);
    step.phase = Phase::inner;
    return true;
}

void resumeCoroutine(Line& line, Step& step) noexcept {
    CoroutineExtra& extra = *coroutineOf(step);
    if (!extra.keeps) line.arena.reset(line.core(), extra.mark);
    step.phase = Phase::body;
    line.marks = 0;
    enterCoroutine(step, extra);
}

void tellCoroutine(Line& line, Step& step, ErrorRef error) noexcept {
    coroutineOf(step)->error = error.detach();
    dropQueued(*line.flow, step.next);
    line.clearValues();
}

void dropCoroutine(Step& step, ErrorData* into) noexcept {
    CoroutineExtra* const extra = coroutineOf(step);
    if (extra == nullptr) return;
    ErrorRef unheard(std::exchange(extra->error, nullptr));
    if (unheard && into != nullptr) addAlso(*into, std::move(unheard));
    if ((step.flags & kPinned) != 0) {
        step.flags &= static_cast<std::uint16_t>(~kResumes);
        return;
    }
    destroyCoroutine(step, *extra);
}

void destroyFrame(Extra& extra) noexcept {
    auto& coroutine = static_cast<CoroutineExtra&>(extra);
    coroutine.ops->destroy(coroutine.closure());  // never throws
}

void raiseMark(Step& step, std::uint32_t mark) noexcept {
    if (CoroutineExtra* const extra = coroutineOf(step)) extra->mark = mark;
}

}  // namespace steptree::detail
