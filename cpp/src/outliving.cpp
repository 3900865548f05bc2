#include "outliving.hpp"

#include <new>
#include <utility>

#include "arena.hpp"
#include "coroutine.hpp"
#include "extras.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "local.hpp"

namespace steptree::detail {

namespace {

void setExtrasAside(Step& step, Remains& remains) noexcept {
    while (Extra* extra = step.extras) {
        step.extras = extra->next;
        if (!extra->live) continue;
        if (extra->type == Extra::timer || extra->type == Extra::shelter ||
            extra->type == Extra::path) {
            destroyExtra(*extra, &step);
        } else {
            extra->next = std::exchange(remains.extras, extra);
        }
    }
}

/// Nothing that was abandoned goes on.
void destroyAll(Remains& remains) noexcept {
    ToolCore& core = *remains.flow->tool;
    while (Extra* extra = remains.extras) {
        remains.extras = extra->next;
        destroyExtra(*extra, nullptr);
    }
    while (Step* step = remains.steps) {
        remains.steps = step->next;
        destroyClosures(*step, nullptr);
    }
    while (Pin* given = remains.given) {
        remains.given = given->next;
        Arena::dropFrom(core, given->block.previous);
    }
    if (remains.orphan && (remains.flow->bits & kSettles) == 0) destroyFlow(*remains.flow);
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

/// Of a step on its flow's own line: it's the tool's memory then, taken and given back where that
/// of flows is.
constexpr bool isPooled(std::uint32_t count) noexcept {
    static_assert(sizeof(Outliving) + sizeof(Pin) <= BlockPool::kSizes[BlockPool::kLargeTask]);
    return count == 1;
}

}  // namespace

Outliving* makeOutliving(Step& step) {
    std::uint32_t count = 1;
    for (Line* line = step.line; line->isBranch(); ++count) {
        line = static_cast<Branch*>(line)->host->line;
    }
    Remains& remains = remainsOf(*step.line->flow);
    void* const memory = isPooled(count) ? step.line->core().blocks.take(BlockPool::kLargeTask)
                                         : ::operator new(sizeof(Outliving) + count * sizeof(Pin));
    auto* const made = ::new (memory) Outliving;
    made->deliver = &arrived;
    made->step = &step;
    made->remains = &remains;
    made->count = count;
    for (std::uint32_t i = 0; i < count; ++i) ::new (made->pins() + i) Pin;
    return made;
}

void dropOutliving(Outliving* outliving) noexcept {
    if (outliving == nullptr) return;
    if (isPooled(outliving->count)) {
        outliving->remains->flow->tool->blocks.give(outliving, BlockPool::kLargeTask);
    } else {
        ::operator delete(static_cast<void*>(outliving));
    }
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

void setAside(Step& step, const Why& why) noexcept {
    Remains& remains = *step.line->flow->flowExtras()->remains;
    Extra* const kept = takeReadable(step);
    setExtrasAside(step, remains);
    step.extras = kept;
    if ((step.flags & kOwed) != 0) payOwed(step, why);
    setExtrasAside(step, remains);
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
