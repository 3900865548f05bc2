#include <array>
#include <cstdio>

#include "budget.hpp"
#include "enter.hpp"
#include "error.hpp"
#include "fast.hpp"
#include "foreign.hpp"
#include "frame.hpp"
#include "latch.hpp"
#include "level.hpp"
#include "run.hpp"
#include "settle.hpp"
#include "steptree/detail/nitro.hpp"
#include "unwind.hpp"

/// Loops.
namespace steptree::detail {

namespace {

/// Behind a loop, repeat or forEach step. All iterations use one step in turn.
struct LoopPart {
    explicit LoopPart(Step& loop) noexcept
        : iteration(StepKind::iteration, nullptr, *loop.line, &loop) {
        iteration.turn = -1;
    }

    Step iteration;
};

static_assert(sizeof(Flow) + sizeof(Step) + sizeof(LoopPart) + 2 * sizeof(void*) <= Flow::kSize,
              "a flow that is a loop whose body captures two pointers is one block");

/// A repeat's.
struct CountedPart : LoopPart {
    CountedPart(Step& loop, std::int64_t count) noexcept : LoopPart(loop), count(count) {}

    std::int64_t count;
};

static_assert(sizeof(CountedPart) <= NitroSizes::loop);

/// A collection's iterator is user code.
bool nextElement(Line& line, Step& loop) noexcept {
    bool found = false;
    const auto next = [&] {
        found = static_cast<const ForEachOps*>(loop.ops)->next(closureOf(loop));
    };
    if (ErrorRef error = enterForGood(loop, next)) latchFail(line, std::move(error));
    return found;
}

/// Whether there is another iteration.
inline bool more(Line& line, Step& loop, std::int64_t count) noexcept {
    if (loop.kind == StepKind::forEach) return nextElement(line, loop);
    return partOf<LoopPart>(loop).iteration.turn + 1 < count;
}

/// The iteration's step is used again and again; what an iteration leaves in it is undone when that
/// is closed.
bool iterate(Line& line, Step& loop, Budget& budget) noexcept {
    LoopPart& part = partOf<LoopPart>(loop);
    Step& iteration = part.iteration;
    Flow& flow = *line.flow;
    const bool isCounted = loop.kind == StepKind::repeat;
    void* const closure =
        isCounted ? static_cast<void*>(&partOf<CountedPart>(loop) + 1) : &part + 1;
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
            enterForGood(iteration, *loop.ops, closure, args);
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
                    if (!kRoundSection) return true;
                    if (!kindOf(*iteration.next).open(line, iteration.next, budget)) return false;
                    if (line.top != &iteration || iteration.next != nullptr) return true;
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
                if (dropValues(line) != Entered::on) break;
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

void makeLoop(Step& step, const StepSpec&) noexcept {
    ::new (&step + 1) LoopPart(step);
}

void makeRepeat(Step& step, const StepSpec& spec) noexcept {
    ::new (&step + 1) CountedPart(step, spec.count);
}

/// Its line is known now: it may be a branch.
bool openLoop(Line& line, Step*& level, Budget&) noexcept {
    partOf<LoopPart>(openStep(line, level)).iteration.line = &line;
    return true;
}

/// Where no memory may be left for a text.
bool openRepeat(Line& line, Step*& level, Budget& budget) noexcept {
    const std::int64_t count = partOf<CountedPart>(*level).count;
    openLoop(line, level, budget);
    if (count >= 0) [[likely]]
        return true;
    std::array<char, 80> info{};
    std::snprintf(info.data(), info.size(), "repeat: expected a count of at least 0, got %lld",
                  static_cast<long long>(count));
    ErrorRef error = raisedBy(*line.top, errors::InternalError, info.data());
    return goOn(line, unwind(line, std::move(error)));
}

}  // namespace

extern constexpr Kind loopKind{.size = sizeof(LoopPart),
                               .isLoop = true,
                               .make = &makeLoop,
                               .open = &openLoop,
                               .next = &iterate};
extern constexpr Kind forEachKind = loopKind;
extern constexpr Kind repeatKind{.size = sizeof(CountedPart),
                                 .isLoop = true,
                                 .make = &makeRepeat,
                                 .open = &openRepeat,
                                 .next = &iterate};
extern constexpr Kind iterationKind{.element = PathElement::round};

}  // namespace steptree::detail
