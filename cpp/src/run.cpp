#include "run.hpp"

#include "awaited.hpp"
#include "cleanup.hpp"
#include "completion.hpp"
#include "coroutine.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "latch.hpp"
#include "observe.hpp"
#include "onstack.hpp"
#include "stopping.hpp"
#include "unwind.hpp"

/// A line's turn: open the next step, call its body, settle what it left. Whatever calls user code
/// does it through enter.hpp, and no engine function calls itself through that.
namespace steptree::detail {

namespace {

CallArgs noArgs;  // of a body that is given no values; nobody writes to them

/// How many bodies the line runs in its turn.
inline std::uint32_t burstOf(const Line& line) noexcept {
    if (line.isBranch()) return kBranchBurst;
    const FlowExtras* const extras = line.flow->flowExtras();
    return extras != nullptr && extras->options != nullptr ? extras->options->burst
                                                           : Options::kBurst;
}

/// Nothing is left to do on the line.
inline void endLine(Line& line) noexcept {
    Flow& flow = *line.flow;
    if (line.isBranch()) [[unlikely]] {
        auto& branch = static_cast<Branch&>(line);
        kindOf(*branch.host).branchEnded(branch);
    } else if (kBareEnd && (flow.bits & (kTold | kCanceller | kAwaited | kObserved)) == 0 &&
               flow.values == nullptr) {
        endBare(flow);
    } else {
        finish(flow, OutcomeKind::ok, {});
    }
}

/// Its level is empty, and a coroutine or a cleanup goes on.
[[gnu::noinline]] Answer nextOfBody(Line& line, Step& step, Budget& budget) noexcept {
    if ((step.flags & kResumes) == 0) return leaveShelter(line, step);
    if (isPutBack(line, budget)) return Answer::pending;
    budget.spend();
    resumeCoroutine(line, step);
    return leaveBody(line, step);
}

[[gnu::noinline]] Answer runRound(Line& line, Step& step, Budget& budget) noexcept {
    if (isPutBack(line, budget)) return Answer::pending;
    return perform(line, kindOf(step).round(line, step), Answer::ready, budget);
}

/// Performs what a claim has noted on the line's top.
Answer performClaim(Line& line) noexcept {
    Step& step = *line.top;
    if (mayTakeTime(step) && isStopping(step)) return afterStop(line, step);
    if ((line.marks & kLate) != 0) {
        line.marks &= static_cast<std::uint16_t>(~kLate);
        return settle(line, step);
    }
    if (findExtra(step, Extra::await) != nullptr && performAwaited(line, step))
        return settle(line, step);
    if ((line.marks & (kError | kControl)) != 0) return fail(line);
    return closeOk(line, step);
}

}  // namespace

/// A turn that begins within the tree, or with a step that is not plain.
[[gnu::noinline]] void resume(Line& line) noexcept {
    const OnStack onStack(*line.flow);
    Step* const claimed = line.top;
    if (claimed != nullptr && claimed->phase == Phase::claimed) {
        if (kClaimedOk && line.marks == kSuccess && claimed->extras == nullptr) {
            close(line, *claimed);
        } else if (performClaim(line) == Answer::pending) {
            return;
        }
    }
    if (cancelled(line)) return;
    if (line.top == nullptr && line.first == nullptr) return endLine(line);
    Budget budget(line, burstOf(line));
    drive(line, budget);
}

namespace {

/// The rest of a turn after its first body.
[[gnu::noinline]] void afterFirst(Line& line, Step& step) noexcept {
    line.flow->bits -= kOnStack;
    const OnStack onStack(*line.flow);
    Budget budget(line, burstOf(line));
    budget.spend();
    if (leaveBody(line, step) != Answer::pending) drive(line, budget);
}

/// Its body has left nothing but an ok, on a line whose own level is empty. Steps that it has added
/// are marked, and values that are there it has left.
inline bool isLast(const Line& line) noexcept {
    if (line.marks != 0 && (line.marks != kSuccess || line.values != nullptr)) return false;
    return line.first == nullptr;
}

/// Closes a step that counts its description: what that has captured may go with it. Whether the
/// flow is as it was.
inline bool releaseLast(Flow& flow, Step& step, std::uint32_t bits = kOnStack) noexcept {
    step.phase = Phase::closed;
    flow.top = nullptr;
    release(definitionAt(&step + 1));
    return flow.bits == bits;
}

inline bool isCounted(const Step& step) noexcept {
    return kBareParts && step.flags == (kOwns | kCounts);
}

/// Ends a flow whose only step has closed.
inline void endLone(Flow& flow) noexcept {
    flow.top = nullptr;
    endBare(flow);
    flow.bits = 0;
}

/// What has gone with the step has cancelled its flow, or the like.
[[gnu::noinline]] void endTouched(Flow& flow) noexcept {
    flow.bits -= kOnStack;
    resume(flow);
}

/// The same, for a flow whose tool ends its pass with that. A step that has ended waits for timers
/// that are due.
[[gnu::noinline]] void endLate(Flow& flow, Step& step) noexcept {
    if (flow.tool->isLate()) {
        postpone(flow, step);
        flow.bits = 0;
    } else if (isCounted(step) && !releaseLast(flow, step)) {
        endTouched(flow);
    } else {
        endLone(flow);
    }
}

/// Most flows begin with a plain step, and end with it or wait in it: they are done with this. It
/// writes `bits` as a whole, since to read what has just been written makes the processor wait.
[[gnu::noinline]] void begin(Flow& flow) noexcept {
    Step* const step = flow.first;
    const bool isPlain = step != nullptr && step->kind == StepKind::plain;
    if (!isPlain || flow.values != nullptr || flow.bits != 0) [[unlikely]]
        return resume(flow);
    flow.bits = kOnStack;
    flow.first = step->next;
    if (step->next != nullptr) step->next = nullptr;
    openPlain(flow, *step);
    enterForGood(*step, *step->ops, step + 1, noArgs);  // `bits` tells
    if (flow.bits != kOnStack) [[unlikely]]
        return afterFirst(flow, *step);
    if (onlyWaits(flow, *step)) {
        flow.bits = 0;
        flow.tool->ran(1);
        return;
    }
    const bool holds = (step->flags & kHolds) != 0;
    if (!isLast(flow) || (holds && !isCounted(*step))) return afterFirst(flow, *step);
    if (flow.tool->ran(1)) [[unlikely]]
        return endLate(flow, *step);
    if (holds && !releaseLast(flow, *step)) [[unlikely]]
        return endTouched(flow);
    endLone(flow);
}

/// The same for a flow of its tool's with one described body, which goes with its end.
template <std::uint32_t bits>
void beginOwned(Flow& flow) noexcept {
    constexpr std::uint32_t within = bits + kOnStack;
    Step* const step = flow.first;
    if (flow.bits != bits) return resume(flow);
    flow.bits = within;
    flow.first = nullptr;
    openPlain(flow, *step);
    enterForGood(*step, *step->ops, step + 1, noArgs);  // `bits` tells
    if (flow.bits != within) [[unlikely]]
        return afterFirst(flow, *step);
    if (onlyWaits(flow, *step)) {
        flow.bits = bits;
        flow.tool->ran(1);
        return;
    }
    const bool ends =
        bits == kRuns ? flow.marks <= kSuccess && flow.first == nullptr : isLast(flow);
    if (!ends || !isCounted(*step)) return afterFirst(flow, *step);
    if (flow.tool->ran(1) && flow.tool->isLate()) [[unlikely]] {
        postpone(flow, *step);
        flow.bits = bits;
        return;
    }
    if (!releaseLast(flow, *step, within)) [[unlikely]]
        return endTouched(flow);
    if (bits == kRuns) {
        const OnStack onStack(flow);
        flow.bits -= kOnStack;
        return finish(flow, OutcomeKind::ok, {});
    }
    endLone(flow);
    if (flow.rare != 0 || !flow.tool->flowsKept.keep(flow)) destroyFlow(flow);
}

/// Whether all that the turn has to do is to begin the loop's next iteration, in the place of one
/// that has waited and ended well. The kinds are not asked: kNextRound, the row parallel_loops.
inline bool goesRound(const Line& line, const Step& iteration) noexcept {
    return iteration.kind == StepKind::iteration && iteration.phase == Phase::claimed &&
           iteration.flags == 0 && iteration.extras == nullptr && line.marks == kSuccess &&
           line.slot != nullptr && line.values == nullptr &&
           iteration.parent->kind == StepKind::loop;
}

/// Most iterations that wait do nothing else. Reads and writes `bits` as begin() does.
[[gnu::noinline]] void goRound(Line& line, Step& iteration) noexcept {
    Flow& flow = *line.flow;
    Step& loop = *iteration.parent;
    const std::uint32_t bits = flow.bits;
    if ((bits & (kCancelLatch | kOrphan)) != 0) [[unlikely]]
        return resume(line);
    const std::uint32_t within = bits + kOnStack;
    flow.bits = within;
    line.marks = 0;
    iteration.phase = Phase::body;
    flow.tool->slots.open(*line.slot);
    CallArgs args;
    args.index = ++iteration.turn;
    enterForGood(iteration, *loop.ops, &iteration + 1, args);  // `bits` tells
    if (flow.bits != within || !onlyWaits(line, iteration)) [[unlikely]] {
        if ((line.marks & kExternal) == 0) releaseSlot(line);
        return afterFirst(line, iteration);
    }
    flow.bits = bits;
    flow.tool->ran(1);
}

}  // namespace

[[gnu::noinline]] Answer perform(Line& line, Step& step, Answer came, Budget& budget) noexcept {
    if (came == Answer::ended) {
        close(line, step);
        return came;
    }
    budget.spend();
    enterBody(step, closureOf(step), line.values);
    return leaveBody(line, step);
}

namespace {

/// As perform(), in the turn of an observed flow.
Answer performObserved(Line& line, Step& step, Answer came, Budget& budget) noexcept {
    if (came == Answer::ended) {
        close(line, step);
        return came;
    }
    budget.spend();
    if (isObserved(*line.flow)) tellBody(line, step);
    enterBody(step, closureOf(step), line.values);
    return leaveBody(line, step);
}

/// Opens the first step of `level`, of whatever kind.
Answer openObserved(Line& line, Step*& level, Budget& budget) noexcept {
    Step& step = *level;
    const Kind& kind = kindOf(step);
    const bool isPlain = step.kind == StepKind::plain;
    if ((isPlain || !kind.isFree) && isPutBack(line, budget)) return Answer::pending;
    openNext(line, level, step);
    const bool takes = kind.isFree && !isPlain ? kind.takesValues : step.ops->wantsValues;
    if (isPlain) {
        line.marks = 0;
    } else {
        step.phase = Phase::inner;
    }
    if (!takes && forgetValues(line) != Entered::on) return Answer::pending;
    Answer came = Answer::ready;
    if (!isPlain) {
        const auto open = kind.openObserved != nullptr ? kind.openObserved : kind.open;
        came = open(line, step);
        if (came == Answer::again || came == Answer::pending) return came;
    }
    return performObserved(line, step, came, budget);
}

Answer nextObserved(Line& line, Step& step, Budget& budget) noexcept {
    const Kind& kind = kindOf(step);
    const auto next = kind.nextObserved != nullptr ? kind.nextObserved : kind.next;
    const Answer came = next != nullptr ? next(line, step) : Answer::ended;
    if (came == Answer::ended) close(line, step);
    if (came != Answer::ready) return came;
    if (isPutBack(line, budget)) return Answer::pending;
    return performObserved(line, kind.round(line, step), came, budget);
}

/// As drive(): step by step, without any fast path. True: nobody observes the flow any more.
bool driveObserved(Line& line, Budget& budget) noexcept {
    const Flow& flow = *line.flow;
    while (!cancelled(flow, line)) {
        if (!isObserved(flow)) return true;
        Step* const top = line.top;
        Step*& level = levelOf(line, top);
        Answer came = Answer::again;
        if (level != nullptr) {
            came = openObserved(line, level, budget);
        } else if (top == nullptr) {
            endLine(line);
            return false;
        } else if ((top->flags & (kDefers | kShelters | kResumes)) != 0) {
            came = nextOfBody(line, *top, budget);
        } else {
            came = nextObserved(line, *top, budget);
        }
        if (came == Answer::pending) return false;
    }
    return false;
}

}  // namespace

[[gnu::noinline]] void drive(Line& line, Budget& budget) noexcept {
    const Flow& flow = *line.flow;
    for (;;) {
        if ((flow.bits & (kCancelLatch | kObserved)) != 0) [[unlikely]] {
            if (cancelled(flow, line)) return;
            if (isObserved(flow) && !driveObserved(line, budget)) return;
        }
        Step* const top = line.top;
        Step*& level = levelOf(line, top);
        Answer came = Answer::ended;
        if (level != nullptr) {
            came = level->kind == StepKind::plain ? runPlain(line, top, budget)
                                                  : openFirst(line, level, budget);
        } else if (top == nullptr) {
            return endLine(line);
        } else if ((top->flags & (kDefers | kShelters | kResumes)) != 0) [[unlikely]] {
            came = nextOfBody(line, *top, budget);
        } else {
            if (const auto next = kindOf(*top).next) came = next(line, *top);
            if (came == Answer::ready)
                came = runRound(line, *top, budget);
            else if (came == Answer::ended)
                close(line, *top);
        }
        if (came == Answer::pending) return;
    }
}

template <std::uint32_t bits>
void ownedTurn(RunNode* node) noexcept {
    Flow& flow = static_cast<Flow&>(*node);
    flow.run = &turn;
    beginOwned<bits>(flow);
}
template void ownedTurn<kOwned>(RunNode*) noexcept;
template void ownedTurn<kRuns>(RunNode*) noexcept;

void turn(RunNode* node) noexcept {
    Line& line = static_cast<Line&>(*node);
    Step* const top = line.top;
    if (kLoneStep && top == nullptr && !line.isBranch()) return begin(*line.flow);
    if (kNextRound && top != nullptr && goesRound(line, *top)) return goRound(line, *top);
    resume(line);
}

}  // namespace steptree::detail
