#include "parallel.hpp"

#include <new>

#include "budget.hpp"
#include "closing.hpp"
#include "error.hpp"
#include "fast.hpp"
#include "fixed.hpp"
#include "flow.hpp"
#include "foreign.hpp"
#include "level.hpp"
#include "map.hpp"
#include "run.hpp"
#include "scope.hpp"
#include "unwind.hpp"

/// Branches: light lines in the arena of the line that the parallel step is on. Those that have not
/// started have nothing but their steps; one node of the run queue stands for all of them, since
/// nothing comes between their first turns.
namespace steptree::detail {

namespace {

void* placeOf(ParallelPart& part) {
    if (Fixed* const fixed = fixedOf(*part.line.flow)) return fixed->takeRegion();
    if (part.place != nullptr) return std::exchange(part.place, nullptr);
    return part.line.arena.allocate(part.line, sizeof(Branch));
}

Branch& makeBranch(ParallelPart& part) {
    void* const place = placeOf(part);
    Branch& branch = *::new (place) Branch(*part.line.flow, part.step);
    branch.run = &turn;
    if (Fixed* const fixed = fixedOf(*branch.flow)) fixed->embed(branch);
    branch.elder = part.youngest;
    (part.youngest == nullptr ? part.eldest : part.youngest->younger) = &branch;
    part.youngest = &branch;
    return branch;
}

/// The line becomes that of the next one.
inline void begin(ParallelPart& part, Branch& branch) noexcept {
    Step& step = *part.first;
    part.first = step.next;
    step.next = nullptr;
    step.line = &branch;
    if (step.isLoop()) partOf<LoopPart>(step).iteration.line = &branch;
    branch.first = &step;
    branch.index = step.index;
}

/// Null: there is no memory for it, which is the step's error.
Branch* newBranch(ParallelPart& part) noexcept {
    try {
        return &makeBranch(part);
    } catch (...) {
        part.dropped = nullptr;
        failHost(part.step, toRecord(std::current_exception(), part.step));
        return nullptr;
    }
}

/// A branch that has ended leaves its line, which is as new, to the next one.
inline void freeLine(ParallelPart& part, Fixed* fixed) noexcept {
    --part.open;
    if (fixed != nullptr) fixed->unreserveRegions(1);
}

/// Whether the first branch that ends with ok ends the step.
inline bool isWon(const Step& host) noexcept {
    return (host.flags & (kRace | kAny)) != 0;
}

/// Whether the branch has run to its end, and its line is as new.
[[gnu::always_inline]] inline bool firstTurn(Branch& branch) noexcept {
    Budget budget(branch, kBranchBurst);
    const Level level = runPlain(branch, nullptr, budget);
    if (level == Level::over) return false;
    if (level == Level::through && branch.first == nullptr) {
        if (kSameLine && branch.values == nullptr && branch.arena.small()) return true;
        branchDone(branch);
    } else {
        drive(branch, budget);
    }
    return false;
}

/// The first turns of branches, one after the other. Most are done with that, and leave their line
/// to the next one; but the first that is done may have won. A cancel that one has asked for is
/// performed before the next one, also if that is shielded.
void startNext(RunNode* node) noexcept {
    ParallelPart& part = static_cast<ParallelPart&>(*node);
    Flow& flow = *part.line.flow;
    ToolCore& core = *flow.tool;
    Fixed* const fixed = fixedOf(flow);
    const bool wins = isWon(part.step);
    bool dropped = false;
    Branch* line = nullptr;  // that is free
    const Scope scope(flow);
    part.dropped = &dropped;
    do {
        if (line != nullptr) {
            freeLine(part, fixed);
        } else if ((line = newBranch(part)) == nullptr) {
            return;
        }
        begin(part, *line);
        const bool last = part.first == nullptr;
        const bool done = firstTurn(*line);
        if (done && (last || wins)) return branchDone(*line);
        if (last || dropped) return;
        if (!done) line = nullptr;
    } while (!flow.cancelled() && !core.looksAround());
    if (line != nullptr) branchClosed(*line);
    part.dropped = nullptr;
    if (!cancelled(flow, part.line)) core.putBack(part);
}

}  // namespace

bool startBranches(Line& line, Step& host) noexcept {
    ParallelPart& part = partOf<ParallelPart>(host);
    if (part.count == 0) {
        if (isWon(host)) {
            return goOn(line, unwind(line, makeError(host, errors::InternalError,
                                                     "no branch can win: there is none")));
        }
        close(line, host);
        return true;
    }
    part.failures = nullptr;
    try {
        if (Fixed* const fixed = fixedOf(*line.flow)) fixed->reserveRegions(line, part.count);
    } catch (...) {
        dropQueued(*line.flow, part.first);
        return goOn(line, unwind(line, toRecord(std::current_exception(), host)));
    }
    markArena(host);
    part.open = part.count;
    part.run = &startNext;
    line.core().enqueue(part);
    return false;
}

void failHost(Step& host, ErrorRef error) noexcept {
    Line& line = *host.line;
    const Closing closing(*line.flow);
    if (!closeInside(line, &host, error) || cancelled(line)) return;
    if (Line* const recovered = unwind(line, std::move(error)))
        recovered->core().enqueue(*recovered);
}

Branch* stopBranches(Step& host) noexcept {
    if (host.kind == StepKind::map) [[unlikely]]
        stopMap(host);
    return partOf<ParallelPart>(host).eldest;
}

void dropUnstarted(Step& host) noexcept {
    ParallelPart& part = partOf<ParallelPart>(host);
    if (part.failures != nullptr) dropFailures(std::exchange(part.failures, nullptr));
    if (part.first == nullptr) return;
    Flow& flow = *host.line->flow;
    if (part.open != 0) {
        std::uint32_t count = 0;
        for (Step* step = part.first; step != nullptr; step = step->next) ++count;
        flow.tool->remove(part);
        if (Fixed* const fixed = fixedOf(flow)) fixed->unreserveRegions(count);
        if (part.dropped != nullptr) *part.dropped = true;
        part.open -= count;
    }
    dropQueued(flow, part.first);
}

void branchClosed(Branch& branch) noexcept {
    branch.core().remove(branch);
    branch.dropValues();
    branch.arena.clear(branch.core(), &branch.arena);
    ParallelPart& part = partOf<ParallelPart>(*branch.host);
    --part.open;
    (branch.elder == nullptr ? part.eldest : branch.elder->younger) = branch.younger;
    (branch.younger == nullptr ? part.youngest : branch.younger->elder) = branch.elder;
    if (branch.host->kind == StepKind::map) [[unlikely]]
        return freeItem(branch);
    if (Fixed* const fixed = fixedOf(*branch.flow)) {
        fixed->giveRegion(&branch);
    } else {
        part.place = &branch;
    }
}

namespace {

/// The first of its step has ended with ok.
void win(Branch& branch, Step& host) noexcept {
    Line& line = *host.line;
    const Closing closing(*line.flow);
    Results values;
    if (branch.hasValues()) values = std::move(*branch.values);
    branchClosed(branch);
    ErrorRef failed;
    try {
        line.keepValues(&values);
    } catch (...) {
        failed = toRecord(std::current_exception(), host);
    }
    if (!closeInside(line, &host, failed) || cancelled(line)) return;
    Line* const goes = failed ? unwind(line, std::move(failed)) : &line;
    if (goes != nullptr) goes->core().enqueue(*goes);
}

}  // namespace

bool branchFailed(Branch& branch, ErrorRef& error) noexcept {
    Step& host = *branch.host;
    ParallelPart& part = partOf<ParallelPart>(host);
    if (!isPrepared(*error.get())) {
        error->order = branch.index;
        error->before = part.failures;
        part.failures = error.detach();
    }
    branchClosed(branch);
    if (part.open != 0) return false;
    error = makeError(host, errors::AllFailed, {});
    addBranches(*error.get(), std::exchange(part.failures, nullptr));
    return true;
}

void branchDone(Branch& branch) noexcept {
    Step& host = *branch.host;
    if (isWon(host)) return win(branch, host);
    if (host.kind == StepKind::map) [[unlikely]]
        return itemDone(branch);
    branchClosed(branch);
    if (partOf<ParallelPart>(host).open == 0) host.line->core().enqueue(*host.line);
}

}  // namespace steptree::detail
