#include <cstring>

#include "extras.hpp"
#include "fast.hpp"
#include "fixed.hpp"
#include "flowextras.hpp"
#include "local.hpp"
#include "observe.hpp"
#include "onstack.hpp"
#include "outliving.hpp"
#include "report.hpp"

namespace steptree::detail {

void callDestructor(Step* told, void (*destroy)(void*), void* object) noexcept {
    try {
        destroy(object);
    } catch (...) {
        if (told != nullptr) report(*told->line->flow, std::current_exception(), *told);
    }
}

namespace {

void* placeOfValues(Line& line) {
    Fixed* const fixed = fixedOf(*line.flow);
    if (fixed == nullptr) return line.core().blocks.take(BlockPool::kValues);
    return line.isBranch() ? static_cast<Branch*>(&line) + 1 : fixed->values();
}

inline void dropExtras(Step& step) noexcept {
    while (Extra* extra = step.extras) {
        step.extras = extra->next;
        if (extra->type == Extra::timer) {
            disarmDeadline(*step.line, static_cast<TimerExtra&>(*extra));
        } else if (extra->live) {
            destroyExtra(*extra, &step);
        }
    }
}

[[gnu::noinline]] void destroyOwner(Step& step) noexcept {
    if ((step.flags & kOwed) != 0) return destroyOwing(step, kClosedOk);
    if ((step.flags & kPinned) != 0) [[unlikely]]
        return setAside(step, kClosedOk);
    constexpr std::uint16_t counted = kOwns | kCounts;
    if (kBareParts && (step.flags & ~kMarked) == counted && step.extras == nullptr)
        return release(definitionAt(closureOf(step)));
    dropExtras(step);
    if ((step.flags & kOwns) != 0) destroyClosures(step, &step);
}

}  // namespace

void* behindHandler(Step& step) noexcept {
    char* place = static_cast<char*>(closureOf(step)) + step.ops->room;
    if ((step.flags & kHandler) == 0) return place;
    return place + sizeof(HandlerPart) + handlerOf(step).ops->room;
}

static_assert(sizeof(Results) <= BlockPool::kSizes[BlockPool::kValues]);

void Line::freeValues() noexcept {
    values->~Results();
    void* const place = std::exchange(values, nullptr);
    if (fixedOf(*flow) == nullptr) core().blocks.give(place, BlockPool::kValues);
}

Results* Line::newValues() {
    return ::new (placeOfValues(*this)) Results;
}

void Line::replaceValues(Results* from) {
    if (from == nullptr || from->empty()) return clearValues();
    makeValues();
    *values = std::move(*from);
}

namespace {

std::string_view textAt(const void* place) noexcept {
    const auto* part = static_cast<const NamePart*>(place);
    return {reinterpret_cast<const char*>(part + 1), part->size};
}

}  // namespace

std::string_view labelOf(Step& loop) noexcept {
    return textAt(behindHandler(loop));
}

void* placeOfName(Step& step) noexcept {
    void* const place = behindHandler(step);
    if ((step.flags & kLabelled) == 0 || !kindOf(step).isLoop) return place;
    return static_cast<char*>(place) + rounded(sizeof(NamePart) + labelOf(step).size());
}

std::string_view nameOf(Step& step) noexcept {
    return textAt(placeOfName(step));
}

void destroyClosures(Step& step, Step* told) noexcept {
    destroyClosure(told, *step.ops, closureOf(step));
    if (const auto destroyPart = kindOf(step).destroy) destroyPart(step);
    if ((step.flags & kHandler) == 0) return;
    HandlerPart& handler = handlerOf(step);
    destroyClosure(told, *handler.ops, &handler + 1);
}

/// What has nothing but extras is asked once: the row timer_cancel.
void destroy(Step& step) noexcept {
    if (!kOnlyExtras || (step.flags & (kOwns | kOwed | kPinned)) != 0) return destroyOwner(step);
    dropExtras(step);
}

void destroyOwing(Step& step, const Why& why) noexcept {
    if ((step.flags & kPinned) != 0) [[unlikely]]
        return setAside(step, why);
    Extra* const kept = takeReadable(step);
    dropExtras(step);
    if ((step.flags & kOwns) != 0) destroyClosures(step, &step);
    step.extras = kept;
    payOwed(step, why);
    dropExtras(step);
}

void payOwed(Step& step, const Why& why) noexcept {
    const auto closed = kindOf(step).closed;
    if (!isTold(step)) {
        if (closed != nullptr) closed(step, why);
        return;
    }
    const ClosingScope closing(*step.line->flow);  // cancels wait until that is told, too
    if (closed != nullptr) closed(step, why);
    if (isTold(step)) tellClosed(step, why);
    ClosingScope::noteOutlived(*step.line);
}

void closeBranch(Branch& branch) noexcept {
    branch.core().remove(branch);
    if (isObserved(*branch.flow)) [[unlikely]]
        endObserved(branch);
    branch.dropValues();
    branch.arena.clear(branch.core(), &branch.arena);
    HostPart& host = branchesOf(*branch.host);
    --host.open;
    (branch.elder == nullptr ? host.eldest : branch.elder->younger) = branch.younger;
    (branch.younger == nullptr ? host.youngest : branch.younger->elder) = branch.elder;
    kindOf(*branch.host).branchLeft(branch);
}

HostPart& wholeOf(HostPart& host) noexcept {
    HostPart* whole = &host;
    while (HostPart* const wider = whole->note.whole()) whole = wider;
    for (HostPart* at = &host; at != whole;) {
        HostPart* const wider = at->note.whole();
        at->note.join(*whole);
        at = wider;
    }
    return *whole;
}

void dropQueued(Flow& flow, Step*& first) noexcept {
    while (Step* step = first) {
        first = step->next;
        step->line = &flow;
        step->parent = nullptr;
        step->phase = Phase::closed;
        if (const auto stop = kindOf(*step).stop) stop(*step);
        if ((step->flags & kOwns) != 0) destroy(*step);
    }
}

}  // namespace steptree::detail
