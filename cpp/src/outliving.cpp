#include "outliving.hpp"

#include <new>
#include <utility>

#include "arena.hpp"
#include "cleanup.hpp"
#include "coroutine.hpp"
#include "extra.hpp"
#include "extras.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "path.hpp"
#include "retrypart.hpp"
#include "sync.hpp"

namespace steptree::detail {

namespace {

/// Calls destructors of the user's. One that throws has nobody left who could be told.
void destroyQuietly(const ClosureOps& ops, void* closure) noexcept {
    if (ops.destroy == nullptr) return;
    try {
        ops.destroy(closure);
    } catch (...) {
    }
}

void destroyExtra(Extra& extra) noexcept {
    switch (extra.type) {
        case Extra::cancel: {
            auto& cancel = static_cast<CancelExtra&>(extra);
            return destroyQuietly(*cancel.ops, cancel.closure());
        }
        case Extra::signal:
            return static_cast<SignalExtra&>(extra).source.~stop_source();
        case Extra::stack: {
            auto& stack = static_cast<StackExtra&>(extra);
            return destroyQuietly({0, 0, false, nullptr, stack.destroy, nullptr, 0}, stack.object);
        }
        case Extra::wait: {
            auto& wait = static_cast<WaitExtra&>(extra);
            return wait.destroy(wait);
        }
        case Extra::values:
            return static_cast<ValuesExtra&>(extra).values.~Results();
        case Extra::coroutine:
            return destroyFrame(extra);
        default:  // is never set aside
            return;
    }
}

void destroyStep(Step& step) noexcept {
    destroyQuietly(*step.ops, closureOf(step));
    if (step.kind == StepKind::retry) partOf<RetryPart>(step).~RetryPart();
    if ((step.flags & kHandler) == 0) return;
    HandlerPart& handler = handlerOf(step);
    destroyQuietly(*handler.ops, &handler + 1);
}

/// Nothing that was abandoned goes on.
void destroyAll(Remains& remains) noexcept {
    ToolCore& core = *remains.flow->tool;
    while (Extra* extra = remains.extras) {
        remains.extras = extra->next;
        destroyExtra(*extra);
    }
    while (Step* step = remains.steps) {
        remains.steps = step->next;
        destroyStep(*step);
    }
    while (Pin* given = remains.given) {
        remains.given = given->next;
        Arena::dropFrom(core, given->block.previous);
    }
    if (remains.orphan) destroyFlow(*remains.flow);
}

void arrived(ToolCore& core, RemoteNode* node, bool) noexcept {
    Remains& remains = *static_cast<Outliving*>(node)->remains;
    if (--remains.active == 0) destroyAll(remains);
    core.release();
}

void ended(void* ended) noexcept {
    auto& outliving = *static_cast<Outliving*>(ended);
    ToolCore& core = *outliving.remains->flow->tool;
    if (core.onOwnThread()) return arrived(core, &outliving, true);
    core.postRemote(outliving);
}

Remains& remainsOf(Flow& flow) {
    FlowExtras& extras = flowExtrasOf(flow);
    if (extras.remains == nullptr) extras.remains = new Remains(flow);
    return *extras.remains;
}

}  // namespace

Outliving* makeOutliving(Step& step) {
    std::uint32_t count = 1;
    for (Line* line = step.line; line->isBranch(); ++count) {
        line = static_cast<Branch*>(line)->host->line;
    }
    Remains& remains = remainsOf(*step.line->flow);
    void* const memory = ::operator new(sizeof(Outliving) + count * sizeof(Pin));
    auto* const made = ::new (memory) Outliving;
    made->deliver = &arrived;
    made->step = &step;
    made->remains = &remains;
    made->count = count;
    for (std::uint32_t i = 0; i < count; ++i) ::new (made->pins() + i) Pin;
    return made;
}

void dropOutliving(Outliving* outliving) noexcept {
    ::operator delete(static_cast<void*>(outliving));
}

Outlived pin(Outliving* outliving) noexcept {
    Remains& remains = *outliving->remains;
    ++remains.active;
    remains.flow->tool->retain();
    outliving->next = std::exchange(remains.abandoned, outliving);
    Pin* pin = outliving->pins();
    for (Step* step = outliving->step; step != nullptr;) {
        Line& line = *step->line;
        pin->remains = &remains;
        line.arena.pin(*pin++);
        const std::uint32_t mark = line.arena.mark();
        for (; step != nullptr; step = step->parent) {
            step->flags |= kPinned | kMarked;
            step->mark = mark;
            raiseMark(*step, mark);
        }
        if (line.isBranch()) {
            line.bits |= kPinnedLine;
            step = static_cast<Branch&>(line).host;
        }
    }
    return {outliving, &ended};
}

void setAside(Step& step) noexcept {
    Remains& remains = *step.line->flow->flowExtras()->remains;
    while (Extra* extra = step.extras) {
        step.extras = extra->next;
        if (extra->type == Extra::timer) {
            disarmDeadline(*step.line, static_cast<TimerExtra&>(*extra));
        } else if (extra->type == Extra::shelter) {
            if (extra->live) destroyShelter(static_cast<Shelter&>(*extra));
        } else if (extra->type == Extra::path) {
            destroyPath(*extra);
        } else if (extra->live) {
            extra->next = std::exchange(remains.extras, extra);
        }
    }
    if ((step.flags & kOwed) != 0) payOwed(step);
    if ((step.flags & kOwns) != 0) step.next = std::exchange(remains.steps, &step);
    if (remains.active == 0) destroyAll(remains);
}

bool staysBehind(Flow& flow) noexcept {
    FlowExtras* const extras = flow.flowExtras();
    if (extras == nullptr || extras->remains == nullptr || extras->remains->active == 0)
        return false;
    extras->remains->orphan = true;
    return true;
}

void dropRemains(Remains* remains) noexcept {
    if (remains == nullptr) return;
    while (Outliving* outliving = remains->abandoned) {
        remains->abandoned = outliving->next;
        dropOutliving(outliving);
    }
    delete remains;
}

}  // namespace steptree::detail
