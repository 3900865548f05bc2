#include "loop.hpp"

#include <array>
#include <cstdio>

#include "adder.hpp"
#include "error.hpp"
#include "foreign.hpp"
#include "latch.hpp"
#include "observe.hpp"
#include "run.hpp"
#include "steptree/detail/nitro.hpp"
#include "unwind.hpp"

/// Loops.
namespace steptree::detail {

namespace {

static_assert(sizeof(Flow) + sizeof(Step) + sizeof(LoopPart) + 2 * sizeof(void*) <= Flow::kSize,
              "a flow that is a loop whose body captures two pointers is one block");

/// A repeat's.
struct CountedPart : LoopPart {
    CountedPart(Step& loop, const StepSpec& spec) noexcept
        : LoopPart(loop, spec), count(spec.count) {}

    std::int64_t count;
};

static_assert(sizeof(CountedPart) <= NitroSizes::loop);

/// A collection's iterator is user code.
bool nextElement(Line& line, Step& loop) noexcept {
    bool found = false;
    ErrorRef error;
    const Entered went = enter(loop, error, [&] {
        found = static_cast<const ForEachOps*>(loop.ops)->next(closureOf(loop));
    });
    if (went == Entered::threw) latchFail(line, std::move(error));
    return found;
}

/// Of iterations that follow each other without a question.
inline std::int64_t countOf(Step& loop) noexcept {
    if (loop.kind == StepKind::repeat) return partOf<CountedPart>(loop).count;
    return loop.kind == StepKind::forEach ? 0 : kForever;
}

/// Whether there is another iteration.
inline bool more(Line& line, Step& loop, std::int64_t count) noexcept {
    if (loop.kind == StepKind::forEach) return nextElement(line, loop);
    return partOf<LoopPart>(loop).iteration.turn + 1 < count;
}

/// A step value stands in the place of the body: it's the only step of each iteration.
[[gnu::noinline]] Answer nextInside(Line& line, Step& loop) noexcept {
    clearMarks(line);
    line.clearValues();
    if (cancelled(line) || !more(line, loop, countOf(loop)) || cancelled(line)) {
        if (cancelled(line)) return Answer::pending;
        return (line.marks & kError) != 0 ? fail(line) : Answer::ended;
    }
    Budget& budget = budgetOf(line);
    if (isPutBack(line, budget)) return Answer::pending;
    budget.spend();  // it may have no body, and starves nobody
    return openRound(line, loop);
}

}  // namespace

Answer openRound(Line& line, Step& loop) noexcept {
    LoopPart& part = partOf<LoopPart>(loop);
    Step& iteration = part.iteration;
    part.open(line);
    iteration.phase = Phase::inner;
    const std::int64_t index = ++iteration.turn;
    const Definition* inside = nullptr;
    ErrorRef error;
    const Entered went = enter(iteration, error, [&] {
        markArena(iteration);
        if (loop.kind == StepKind::forEach || loop.kind == StepKind::channel) {
            line.makeValues();
            inside = &static_cast<const ForEachOps*>(loop.ops)->part(closureOf(loop), index,
                                                                     *line.values);
            return;
        }
        inside = &definitionAt(closureOf(loop));
        if (loop.kind == StepKind::loop) return;
        line.makeValues();
        line.values->set(index);
    });
    if (went == Entered::threw) return unwind(line, std::move(error));
    if (went == Entered::cancelled) return Answer::pending;
    return openPart(line, iteration, *inside, kHidden);
}

namespace {

/// The iteration's step is used again and again; what an iteration leaves in it is undone when that
/// is closed.
Answer iterate(Line& line, Step& loop) noexcept {
    if (loop.ops->call == nullptr) [[unlikely]]
        return nextInside(line, loop);
    LoopPart& part = partOf<LoopPart>(loop);
    Step& iteration = part.iteration;
    Flow& flow = *line.flow;
    const bool isCounted = loop.kind == StepKind::repeat;
    void* const closure =
        isCounted ? static_cast<void*>(&partOf<CountedPart>(loop) + 1) : &part + 1;
    const std::int64_t count = countOf(loop);
    Budget& budget = budgetOf(line);
    CallArgs args;
    clearMarks(line);
    line.clearValues();
    while (!cancelled(flow, line) && more(line, loop, count)) {
        if (cancelled(flow, line) || isPutBack(line, budget)) return Answer::pending;
        part.open(line);
        do {
            budget.spend();
            line.marks = 0;
            iteration.phase = Phase::body;
            args.index = ++iteration.turn;
            enterForGood(iteration, *loop.ops, closure, args);
            if (isOver(flow, line, iteration)) [[unlikely]]
                return Answer::pending;
            if (!kRounds || !isOk(line, iteration)) {
                return onlyWaits(line, iteration) ? Answer::pending : settle(line, iteration);
            }
            if (iteration.next != nullptr) {
                if (line.marks != 0) return settle(line, iteration);
                iteration.phase = Phase::inner;
                if (!kRoundSteps) return Answer::again;
                Answer came = runPlain(line, &iteration, budget);
                if (came != Answer::ended) return came;
                if (iteration.next != nullptr) {
                    if (!kRoundSection) return Answer::again;
                    came = openFirst(line, iteration.next, budget);
                    if (came == Answer::pending) return came;
                    if (line.top != &iteration || iteration.next != nullptr) return Answer::again;
                }
            }
            if ((iteration.flags & kMarked) != 0) {
                if (iteration.extras != nullptr) destroy(iteration);
                line.arena.reset(*flow.tool, iteration.mark);
                iteration.flags = 0;
                iteration.count = 0;
                if (cancelled(flow, line)) break;
            }
            if (forgetValues(line) != Entered::on) [[unlikely]]
                break;
        } while (iteration.turn + 1 < count && !budget.spent());
        iteration.phase = Phase::closed;
        line.top = &loop;
    }
    if (cancelled(flow, line)) return Answer::pending;
    return (line.marks & kError) != 0 ? fail(line) : Answer::ended;
}

/// One at a time.
Answer iterateObserved(Line& line, Step& loop) noexcept {
    if (loop.ops->call == nullptr) return nextInside(line, loop);
    clearMarks(line);
    line.clearValues();
    const bool goesOn = !cancelled(line) && more(line, loop, countOf(loop));
    if (cancelled(line)) return Answer::pending;
    if (!goesOn) return (line.marks & kError) != 0 ? fail(line) : Answer::ended;
    Budget& budget = budgetOf(line);
    if (isPutBack(line, budget)) return Answer::pending;
    budget.spend();
    return runIteration(line, loop);
}

Answer openLoop(Line& line, Step& loop) noexcept {
    partOf<LoopPart>(loop).begin(line);
    return Answer::again;
}

/// Where no memory may be left for a text.
Answer openRepeat(Line& line, Step& loop) noexcept {
    const std::int64_t count = partOf<CountedPart>(loop).count;
    if (count >= 0) [[likely]]
        return openLoop(line, loop);
    std::array<char, 80> info{};
    std::snprintf(info.data(), info.size(), "repeat: expected a count of at least 0, got %lld",
                  static_cast<long long>(count));
    return unwind(line, raisedBy(loop, errors::InternalError, info.data()));
}

bool endsInIteration(Step& iteration) noexcept {
    return iteration.parent->ops->call == nullptr;
}

}  // namespace

Answer runIteration(Line& line, Step& loop) noexcept {
    LoopPart& part = partOf<LoopPart>(loop);
    Step& iteration = part.iteration;
    part.open(line);
    giveBody(line, iteration);
    CallArgs args;
    args.index = ++iteration.turn;
    if (isObserved(*line.flow)) tellBody(line, iteration);
    enterForGood(iteration, *loop.ops, closureOf(loop), args);
    return leaveBody(line, iteration) == Answer::pending ? Answer::pending : Answer::again;
}

constexpr Kind walking(const char* name) noexcept {
    return {.size = sizeof(LoopPart),
            .isLoop = true,
            .make = &makePart<LoopPart>,
            .open = &openLoop,
            .next = &iterate,
            .nextObserved = &iterateObserved,
            .name = name};
}
extern constexpr Kind loopKind = walking("loop");
extern constexpr Kind forEachKind = walking("forEach");
extern constexpr Kind repeatKind{.size = sizeof(CountedPart),
                                 .isLoop = true,
                                 .make = &makePart<CountedPart>,
                                 .open = &openRepeat,
                                 .next = &iterate,
                                 .nextObserved = &iterateObserved,
                                 .name = "repeat"};
extern constexpr Kind iterationKind{
    .element = PathElement::round, .dropsValue = true, .endsInside = &endsInIteration};

}  // namespace steptree::detail
