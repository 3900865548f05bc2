#include "adder.hpp"
#include "budget.hpp"
#include "error.hpp"
#include "foreign.hpp"
#include "latch.hpp"
#include "loop.hpp"
#include "run.hpp"
#include "steptree/detail/nitro.hpp"
#include "unwind.hpp"

/// Loops over channels. When an iteration is due its value is taken; if there is none a step that
/// nobody sees waits for it:
///
///     opened -> a value -> iteration -> none yet -> take -> its value -> iteration -> ... ->
///     closed
///
/// What `take` has got is an iteration in the turn in which that ends. So a value is the channel's
/// until a body has it.
namespace steptree::detail {

namespace {

struct TakingPart : LoopPart {
    using LoopPart::LoopPart;

    bool waited = false;  // a step has: what the line has got is its value
};

static_assert(sizeof(TakingPart) <= NitroSizes::loop);

const ForEachOps& takeOpsOf(Step& loop) noexcept {
    return *static_cast<const ForEachOps*>(loop.ops);
}

void callTake(IAsyncSteps& asi, void*, CallArgs&) noexcept {
    Step& loop = *static_cast<Step&>(asi).parent;
    guarded(asi, [&] { takeOpsOf(loop).take->wait(closureOf(loop), asi); });
}
constexpr ClosureOps kTake{0, 0, false, nullptr, nullptr, &callTake, 0};

/// Its place is the same each time.
void queueWait(Line& line, Step& loop) {
    markArena(loop);
    line.arena.reset(line.core(), loop.mark);
    Step& step = makeStep(line, &loop, {&kTake, nullptr, StepKind::take});
    step.flags |= kHidden;
    loop.next = &step;
    partOf<TakingPart>(loop).waited = true;
}

/// Whether there is a value for an iteration. Else a step may be queued that waits for one.
bool findNext(Line& line, Step& loop) {
    const ForEachOps& ops = takeOpsOf(loop);
    void* const closure = closureOf(loop);
    if (std::exchange(partOf<TakingPart>(loop).waited, false) && line.hasValues()) {
        ops.take->keep(closure, *line.values);
    }
    line.clearValues();
    if (ops.next(closure)) return true;
    if (ops.take->waits(closure)) queueWait(line, loop);
    return false;
}

Answer nextTaken(Line& line, Step& loop) noexcept {
    clearMarks(line);
    Budget& budget = budgetOf(line);
    if (isPutBack(line, budget)) return Answer::pending;
    budget.spend();
    bool found = false;
    ErrorRef error;
    const Entered went = enter(loop, error, [&] { found = findNext(line, loop); });
    if (went == Entered::threw) return unwind(line, std::move(error));
    if (went == Entered::cancelled) return Answer::pending;
    if (found) return loop.ops->call != nullptr ? runIteration(line, loop) : openRound(line, loop);
    return loop.next != nullptr ? Answer::again : Answer::ended;
}

Answer openChannel(Line& line, Step& loop) noexcept {
    partOf<TakingPart>(loop).begin(line);
    return Answer::again;
}

/// It waits, which is no body. If it finds that there is no need to, that isn't too late for
/// timers: nothing has happened.
Answer openTake(Line& line, Step& step) noexcept {
    clearMarks(line);
    giveBody(line, step, kTaken);
    enterBody(step, nullptr, nullptr);
    return leaveBody(line, step) == Answer::pending ? Answer::pending : Answer::again;
}

}  // namespace

extern constexpr Kind channelKind{.size = sizeof(TakingPart),
                                  .isLoop = true,
                                  .make = &makePart<TakingPart>,
                                  .open = &openChannel,
                                  .next = &nextTaken,
                                  .name = "forEach"};
extern constexpr Kind takeKind{.open = &openTake, .isHidden = true, .name = nullptr};

}  // namespace steptree::detail
