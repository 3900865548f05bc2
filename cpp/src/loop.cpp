#include "loop.hpp"

#include <atomic>

#include "budget.hpp"
#include "door.hpp"
#include "fast.hpp"
#include "foreign.hpp"
#include "latch.hpp"
#include "level.hpp"
#include "run.hpp"
#include "unwind.hpp"

namespace steptree::detail {

namespace {

/// A collection's iterator is user code.
bool nextElement(Line& line, Step& loop) noexcept {
    bool found = false;
    const auto next = [&] {
        found = static_cast<const ForEachOps*>(loop.ops)->next(closureOf(loop));
    };
    if (ErrorRef error = callForGood(loop, next)) latchFail(line, std::move(error));
    return found;
}

/// Whether there is another iteration.
inline bool more(Line& line, Step& loop, std::int64_t count) noexcept {
    if (loop.kind == StepKind::forEach) return nextElement(line, loop);
    return partOf<LoopPart>(loop).iteration.turn + 1 < count;
}

std::string_view labelOf(Step& loop) noexcept {
    return (loop.flags & kLabelled) != 0 ? nameOf(loop) : std::string_view{};
}

}  // namespace

/// The iteration's step is used again and again; what an iteration leaves in it is undone when that
/// is closed.
bool iterate(Line& line, Step& loop, Budget& budget) noexcept {
    LoopPart& part = partOf<LoopPart>(loop);
    Step& iteration = part.iteration;
    Flow& flow = *line.flow;
    void* const closure = closureOf(loop);
    const bool isCounted = loop.kind == StepKind::repeat;
    const std::int64_t count = isCounted ? partOf<CountedPart>(loop).count : kForever;
    const bool isForEach = loop.kind == StepKind::forEach;
    CallArgs args;
    clearMarks(line);
    line.clearValues();
    while (!cancelled(flow, line) && more(line, loop, count)) {
        if (cancelled(flow, line)) return false;
        if (budget.spent()) {
            flow.tool->enqueue(line);
            return false;
        }
        iteration.flags = 0;
        iteration.count = 0;
        line.top = &iteration;
        do {
            budget.spend();
            line.marks = 0;
            iteration.phase = Phase::body;
            args.index = ++iteration.turn;
            callForGood(iteration, *loop.ops, closure, args);
            if (isOver(flow, line, iteration)) [[unlikely]]
                return false;
            if (!kRounds || !isOk(line, iteration)) {
                return !onlyWaits(line, iteration) && settle(line, iteration);
            }
            if (iteration.next != nullptr) {
                if (line.marks != 0) return settle(line, iteration);
                iteration.phase = Phase::inner;
                if (!kRoundSteps) return true;
                const Level level = runPlain(line, &iteration, budget);
                if (level == Level::over) return false;
                if (level == Level::look) return true;
                if (iteration.next != nullptr) {
                    if (!kRoundSection || iteration.next->kind != StepKind::sync) return true;
                    const Level left = openSync(line, iteration.next, budget);
                    if (left == Level::over) return false;
                    if (left == Level::look || iteration.next != nullptr) return true;
                }
            }
            if ((iteration.flags & kMarked) != 0) {
                if (iteration.extras != nullptr) destroy(iteration);
                line.arena.reset(*flow.tool, iteration.mark);
                iteration.flags = 0;
                iteration.count = 0;
                if (cancelled(flow, line)) break;
            }
            if (line.hasValues()) [[unlikely]] {
                if (dropValues(line) != Went::on) break;
            }
        } while (!isForEach && iteration.turn + 1 < count && !budget.spent());
        iteration.phase = Phase::closed;
        line.top = &loop;
    }
    if (cancelled(flow, line)) return false;
    if ((line.marks & kError) != 0) return goOn(line, unwind(line, takeError(line)));
    close(line, loop);
    return true;
}

namespace {

/// The nearest one around the step that is meant. A cleanup has none around it.
template <class IsMeant>
Step* nearestLoop(Step& from, IsMeant isMeant) noexcept {
    for (Step* step = &from; step->kind != StepKind::deferred;) {
        step = step->parent;
        if (step == nullptr) return nullptr;
        if (step->isLoop() && isMeant(*step)) return step;
    }
    return nullptr;
}

/// Of all loops that there ever were: signals go from thread to thread.
std::uint32_t nextRun() noexcept {
    static std::atomic<std::uint32_t> last;
    const std::uint32_t next = ++last;
    return next != 0 ? next : ++last;
}

/// Its run and its place. An iteration needs no index in its level.
std::uint64_t numberOf(Step& loop) noexcept {
    const std::uint64_t run = partOf<LoopPart>(loop).iteration.index;
    const auto place = reinterpret_cast<std::uintptr_t>(&loop);
    return run << 32 | static_cast<std::uint32_t>(place / alignof(Step));
}

}  // namespace

Step* findLoop(Step& from, std::string_view label) noexcept {
    return nearestLoop(from,
                       [label](Step& loop) { return label.empty() || labelOf(loop) == label; });
}

Step* findLoop(Step& from, std::uint64_t number) noexcept {
    return nearestLoop(from, [number](Step& loop) { return numberOf(loop) == number; });
}

std::uint64_t numberLoop(Step& loop) noexcept {
    std::uint32_t& run = partOf<LoopPart>(loop).iteration.index;
    if (run == 0) run = nextRun();
    return numberOf(loop);
}

}  // namespace steptree::detail
