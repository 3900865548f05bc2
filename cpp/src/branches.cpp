#include "branches.hpp"

#include <new>

#include "adder.hpp"
#include "closing.hpp"
#include "error.hpp"
#include "fast.hpp"
#include "fixed.hpp"
#include "flow.hpp"
#include "foreign.hpp"
#include "frame.hpp"
#include "misuse.hpp"
#include "observe.hpp"
#include "onstack.hpp"
#include "ontool.hpp"
#include "run.hpp"
#include "unwind.hpp"

/// Branches: light lines in the arena of the line that the parallel step is on. Those that have not
/// started have nothing but their steps; one node of the run queue stands for all of them, since
/// nothing comes between their first turns.
namespace steptree::detail {

namespace {

/// A call of it, or of the next one, would cost each branch: the row parallel.
[[gnu::always_inline]] inline void* branchPlace(HostPart& part) {
    Line& line = *stepOf(part).line;
    if (Fixed* const fixed = fixedOf(*line.flow)) return fixed->takeRegion();
    if (part.place != nullptr) return std::exchange(part.place, nullptr);
    return line.arena.allocate(line, sizeof(Branch));
}

[[gnu::always_inline]] inline Branch& makeLine(HostPart& part) {
    Step& host = stepOf(part);
    void* const place = branchPlace(part);
    Branch& branch = *::new (place) Branch(*host.line->flow, host);
    branch.run = &turn;
    if (Fixed* const fixed = fixedOf(*branch.flow)) fixed->embed(branch);
    return branch;
}

/// The line becomes that of the next one.
inline void begin(ParallelPart& part, Branch& branch) noexcept {
    Step& step = *part.first;
    part.first = step.next;
    step.next = nullptr;
    step.line = &branch;
    branch.first = &step;
    branch.index = step.index;
}

/// Null: there is no memory for it, which is the step's error.
Branch* newBranch(ParallelPart& part) noexcept {
    Step& host = stepOf(part);
    try {
        Branch& branch = makeLine(part);
        if (part.found != nullptr) [[unlikely]] {
            branch.makeValues();
            branch.values->refer(*part.found);
        }
        linkBranch(part, branch);
        return &branch;
    } catch (...) {
        part.dropped = nullptr;
        failStep(host, toRecord(std::current_exception(), host));
        return nullptr;
    }
}

/// A branch that has ended leaves its line, which is as new, to the next one.
inline void freeLine(ParallelPart& part, Fixed* fixed) noexcept {
    --part.open;
    if (fixed != nullptr) fixed->unreserveRegions(1);
}

/// Whether the branch has run to its end, and its line is as new.
[[gnu::always_inline]] inline bool firstTurn(Branch& branch) noexcept {
    Budget budget(branch, kBranchBurst);
    const Answer came = runPlain(branch, nullptr, budget);
    if (came == Answer::pending) return false;
    if (came == Answer::ended && branch.first == nullptr) {
        if (kSameLine && branch.values == nullptr && branch.arena.small()) return true;
        kindOf(*branch.host).branchEnded(branch);
    } else {
        drive(branch, budget);
    }
    return false;
}

}  // namespace

/// The first turns of branches, one after the other. Most are done with that, and leave their line
/// to the next one; but the first that is done may have won. A cancel that one has asked for is
/// performed before the next one, also if that is shielded.
template <class Turn>
void startNext(RunNode* node) noexcept {
    ParallelPart& part = static_cast<ParallelPart&>(*node);
    Line& around = *stepOf(part).line;
    Flow& flow = *around.flow;
    ToolCore& core = *flow.tool;
    Fixed* const fixed = fixedOf(flow);
    const Kind& kind = kindOf(stepOf(part));
    const bool wins = kind.wins;
    bool dropped = false;
    Branch* line = nullptr;  // that is free
    Turn turn(flow);
    const OnStack onStack(flow);
    part.dropped = &dropped;
    do {
        if (line != nullptr) {
            freeLine(part, fixed);
        } else if ((line = newBranch(part)) == nullptr) {
            return;
        }
        begin(part, *line);
        const bool last = part.first == nullptr;
        const bool done = turn.observes ? turn.run(*line) : firstTurn(*line);
        if (done && (last || wins)) return kind.branchEnded(*line);
        if (last || dropped) return;
        if (!done) line = nullptr;
    } while (!flow.cancelled() && !core.looksAround());
    if (line != nullptr) closeBranch(*line);
    part.dropped = nullptr;
    if (!cancelled(flow, around)) core.putBack(part);
}
template void startNext<QuietTurn>(RunNode*) noexcept;
template void startNext<ObservedTurn>(RunNode*) noexcept;

Branch& makeBranch(HostPart& part) {
    return makeLine(part);
}

void endBranch(Branch& branch) noexcept {
    Step& host = *branch.host;
    closeBranch(branch);
    if (branchesOf(host).open == 0) host.line->core().enqueue(*host.line);
}

void win(Branch& branch) noexcept {
    Step& host = *branch.host;
    Line& line = *host.line;
    const ClosingScope closing(*line.flow);
    Results values;
    if (branch.hasValues()) values = std::move(*branch.values);
    closeBranch(branch);
    ErrorRef failed;
    try {
        line.keepValues(&values);
    } catch (...) {
        failed = toRecord(std::current_exception(), host);
    }
    if (!closeInside(line, &host, failed) || cancelled(line)) return;
    if (!failed || unwind(line, std::move(failed)) == Answer::again) line.core().enqueue(line);
}

Answer openBranches(Line& line, Step& host) noexcept {
    ParallelPart& part = partOf<ParallelPart>(host);
    if (part.count == 0) {
        if (!kindOf(host).wins) return Answer::again;
        return unwind(line,
                      raisedBy(host, errors::InternalError, "no branch can win: there is none"));
    }
    try {
        if (Fixed* const fixed = fixedOf(*line.flow)) fixed->reserveRegions(line, part.count);
    } catch (...) {
        dropQueued(*line.flow, part.first);
        return unwind(line, toRecord(std::current_exception(), host));
    }
    markArena(host);
    part.open = part.count;
    part.run = &startNext<QuietTurn>;
    line.core().enqueue(part);
    return Answer::pending;
}

void dropUnstarted(Step& host) noexcept {
    ParallelPart& part = partOf<ParallelPart>(host);
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

Step* firstUnstarted(Step& host) noexcept {
    return partOf<ParallelPart>(host).first;
}

void leaveRoom(Branch& branch) noexcept {
    if (Fixed* const fixed = fixedOf(*branch.flow)) {
        fixed->giveRegion(&branch);
    } else {
        branchesOf(*branch.host).place = &branch;
    }
}

Answer endBranches(Line& line, Step& host) noexcept {
    if ((host.flags & kHandlerGone) == 0) line.clearValues();
    return Answer::ended;
}

// ---- adding them

namespace {

bool mayAdd(const Step& host) noexcept {
    if (host.phase != Phase::queued) return false;
    return host.parent != nullptr ? host.parent->latches() : detail::mayAdd(*host.line->flow);
}

Line& lineOfHost(const Step& host) {
    if (host.parent != nullptr) checkThreadOften(host.line->core(), kAdding);
    if (mayAdd(host)) [[likely]]
        return *host.line;
    misuse("a branch can't be added to a parallel that has started, or after its maker's body");
}

}  // namespace

void BranchAdder::addStep(const StepSpec& spec) {
    queueBranch(step, makeStep(lineOfHost(step), nullptr, spec));
}

void* BranchAdder::addBare(const ClosureOps& ops) {
    Line& line = lineOfHost(step);
    if (!line.arena.fits(bareSize(ops))) [[unlikely]]
        line.arena.reserve(line, bareSize(ops));
    Step& branch = kNewBare ? makeBare(line, nullptr, ops) : makeStep(line, nullptr, {&ops});
    queueBranch(step, branch);
    return &branch + 1;
}

void BranchAdder::addDefined(const Definition& definition) {
    addStep(definition.entering());
}

IParallel& Step::addParallel(const StepSpec& spec) {
    checkThreadOften(line->core(), kAdding);
    return partOf<ParallelPart>(addTo(*this, spec)).adder;
}

IParallel& RootFlow::addParallel(const StepSpec& spec) {
    return partOf<ParallelPart>(addTo(asFlow(*head_), spec)).adder;
}

extern constexpr Kind parallelKind{.size = sizeof(ParallelPart),
                                   .hasBranches = true,
                                   .make = &makePart<ParallelPart>,
                                   .open = &openBranches,
                                   .next = &endBranches,
                                   .branchEnded = &endBranch,
                                   .branchLeft = &leaveRoom,
                                   .stop = &dropUnstarted,
                                   .name = "parallel",
                                   .unstarted = &firstUnstarted};
}  // namespace steptree::detail
