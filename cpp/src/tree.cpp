#include <cstring>

#include "await.hpp"
#include "cleanup.hpp"
#include "end.hpp"
#include "extra.hpp"
#include "extras.hpp"
#include "fast.hpp"
#include "fixed.hpp"
#include "flowextras.hpp"
#include "outliving.hpp"
#include "path.hpp"
#include "retrypart.hpp"
#include "sync.hpp"

namespace steptree::detail {

void destroyClosure(Step& step, const ClosureOps& ops, void* closure) noexcept {
    if (ops.destroy == nullptr) return;
    try {
        ops.destroy(closure);
    } catch (...) {
        report(*step.line->flow, std::current_exception(), step);
    }
}

namespace {

[[gnu::noinline]] void destroyExtra(Step& step, Extra& extra) noexcept {
    switch (extra.type) {
        case Extra::timer:
            break;
        case Extra::cancel: {
            auto& cancel = static_cast<CancelExtra&>(extra);
            destroyClosure(step, *cancel.ops, cancel.closure());
            break;
        }
        case Extra::signal:
            static_cast<SignalExtra&>(extra).source.~stop_source();
            break;
        case Extra::stack: {
            auto& stack = static_cast<StackExtra&>(extra);
            const ClosureOps ops{0, 0, false, nullptr, stack.destroy, nullptr, 0};
            destroyClosure(step, ops, stack.object);
            break;
        }
        case Extra::wait: {
            auto& wait = static_cast<WaitExtra&>(extra);
            wait.destroy(wait);
            break;
        }
        case Extra::await: {
            auto& await = static_cast<AwaitExtra&>(extra);
            releaseAwaited(await);
            if (await.owned) destroyClosure(step, *await.ops, await.closure);
            break;
        }
        case Extra::values:
            static_cast<ValuesExtra&>(extra).values.~Results();
            break;
        case Extra::shelter:
            destroyShelter(static_cast<Shelter&>(extra));
            break;
        case Extra::path:
            destroyPath(extra);
            break;
        case Extra::coroutine:  // was dropped when the body was over, or the frame was left
            break;
    }
}

void* placeOfValues(Line& line) {
    Fixed* const fixed = fixedOf(*line.flow);
    if (fixed == nullptr) return line.core().blocks.take(BlockPool::kValues);
    return line.isBranch() ? static_cast<Branch*>(&line) + 1 : fixed->values();
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

std::string_view nameOf(Step& step) noexcept {
    const auto* part = static_cast<const NamePart*>(behindHandler(step));
    return {reinterpret_cast<const char*>(part + 1), part->size};
}

namespace {

inline void destroyClosures(Step& step) noexcept {
    destroyClosure(step, *step.ops, closureOf(step));
    if (step.kind == StepKind::retry) [[unlikely]]
        partOf<RetryPart>(step).~RetryPart();
    if ((step.flags & kHandler) == 0) return;
    HandlerPart& handler = handlerOf(step);
    destroyClosure(step, *handler.ops, &handler + 1);
}

inline void dropExtras(Step& step) noexcept {
    while (Extra* extra = step.extras) {
        step.extras = extra->next;
        if (extra->type == Extra::timer) {
            disarmDeadline(*step.line, static_cast<TimerExtra&>(*extra));
        } else if (extra->live) {
            destroyExtra(step, *extra);
        }
    }
}

[[gnu::noinline]] void destroyOwner(Step& step) noexcept {
    if ((step.flags & kPinned) != 0) [[unlikely]]
        return setAside(step);
    dropExtras(step);
    if ((step.flags & kOwns) != 0) destroyClosures(step);
    if ((step.flags & kOwed) != 0) payOwed(step);
}

}  // namespace

/// What has nothing but extras is asked once: the row timer_cancel.
void destroy(Step& step) noexcept {
    if (!kOnlyExtras || (step.flags & (kOwns | kOwed | kPinned)) != 0) return destroyOwner(step);
    dropExtras(step);
}

void dropQueued(Flow& flow, Step*& first) noexcept {
    while (Step* step = first) {
        first = step->next;
        step->line = &flow;
        step->parent = nullptr;
        step->phase = Phase::closed;
        if (step->kind == StepKind::parallel) dropQueued(flow, partOf<ParallelPart>(*step).first);
        if ((step->flags & kOwns) != 0) destroy(*step);
    }
}

}  // namespace steptree::detail
