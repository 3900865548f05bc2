#include "adder.hpp"
#include "branches.hpp"
#include "closing.hpp"
#include "enter.hpp"
#include "error.hpp"
#include "onstack.hpp"
#include "run.hpp"
#include "steptree/detail/nitro.hpp"
#include "unwind.hpp"

/// Steps with branches that are described: the branches are queued when the step opens, and what
/// they leave is the step's.
namespace steptree::detail {

namespace {

/// Of a step value: its branches are queued when it opens, and get what the step finds.
struct DefinedPart : ParallelPart {
    DefinedPart(Step& step, const StepSpec& spec) noexcept
        : ParallelPart(step, spec), branches(definitionOf<BranchesDefinition>(spec)) {
        step.flags |= kOwns;
    }

    const BranchesDefinition& branches;
    ErrorData* failures = nullptr;  // of an any: one reference each, the last one first
    Results values;                 // that are found
};

static_assert(sizeof(DefinedPart) <= NitroSizes::parallel);

void destroyDefined(Step& host) noexcept {
    partOf<DefinedPart>(host).~DefinedPart();
}

Answer openDefined(Line& line, Step& host) noexcept {
    DefinedPart& part = partOf<DefinedPart>(host);
    ErrorRef error;
    const Entered went = enter(host, error, [&] {
        markArena(host);
        if (line.hasValues()) {
            line.values->share(false);
            part.values = std::move(*line.values);
            part.found = &part.values;
        }
        for (std::uint32_t i = 0; i < part.branches.count; ++i) {
            queueBranch(host, makePartOf(line, nullptr, *part.branches.parts[i]));
        }
    });
    if (went == Entered::on) return openBranches(line, host);
    dropQueued(*line.flow, part.first);
    return went == Entered::threw ? unwind(line, std::move(error)) : Answer::pending;
}

/// A branch of an any has ended with an error.
bool anyFailed(Branch& branch, ErrorRef& error) noexcept {
    Step& host = *branch.host;
    DefinedPart& part = partOf<DefinedPart>(host);
    if (!isPrepared(*error.get())) {
        error->order = branch.index;
        error->before = part.failures;
        part.failures = error.detach();
    }
    closeBranch(branch);
    if (part.open != 0) return false;
    error = raisedBy(host, errors::AllFailed, {});
    addFailures(*error.get(), std::exchange(part.failures, nullptr));
    return true;
}

/// None fails any more, or what has failed is of no use: one has won.
void dropBranches(Step& host) noexcept {
    DefinedPart& part = partOf<DefinedPart>(host);
    if (part.failures != nullptr) dropFailures(std::exchange(part.failures, nullptr));
    dropUnstarted(host);
}

const AllOps& allOf(Step& host) noexcept {
    return static_cast<const AllOps&>(*host.ops);
}

/// A branch of an all has ended with ok.
void giveFirst(Branch& branch) noexcept {
    Step& host = *branch.host;
    const std::size_t index = branch.index;
    ErrorRef error;
    const Entered went = enter(host, error, [&] {
        Results values;
        if (branch.hasValues()) values = std::move(*branch.values);
        closeBranch(branch);
        if (!values.empty()) allOf(host).give(closureOf(host), index, values);
    });
    if (went == Entered::threw) return failStep(host, std::move(error));
    if (went == Entered::on && branchesOf(host).open == 0) host.line->core().enqueue(*host.line);
}

/// The values are known, or what its handler has added has ended.
Answer endAll(Line& line, Step& host) noexcept {
    if ((host.flags & kHandlerGone) != 0) return Answer::ended;
    ErrorRef error;
    const Entered went = enter(host, error, [&] {
        line.makeValues();
        allOf(host).finish(closureOf(host), *line.values);
    });
    if (went == Entered::threw) return unwind(line, std::move(error));
    return went == Entered::on ? Answer::ended : Answer::pending;
}

}  // namespace

constexpr Kind defined(const char* name) noexcept {
    return {.size = sizeof(DefinedPart),
            .hasBranches = true,
            .make = &makePart<DefinedPart>,
            .destroy = &destroyDefined,
            .open = &openDefined,
            .next = &endBranches,
            .branchEnded = &endBranch,
            .branchLeft = &leaveRoom,
            .stop = &dropBranches,
            .name = name,
            .unstarted = &firstUnstarted};
}
constexpr Kind withWinner(const char* name, bool (*failed)(Branch&, ErrorRef&) noexcept) noexcept {
    Kind kind = defined(name);
    kind.wins = true;
    kind.takesValues = true;
    kind.next = nullptr;
    kind.branchEnded = &win;
    kind.branchFailed = failed;
    return kind;
}
constexpr Kind withFirsts() noexcept {
    Kind kind = defined("all");
    kind.takesValues = true;
    kind.next = &endAll;
    kind.branchEnded = &giveFirst;
    return kind;
}
extern constexpr Kind branchesKind = defined("parallel");
extern constexpr Kind raceKind = withWinner("race", nullptr);
extern constexpr Kind anyKind = withWinner("any", &anyFailed);
extern constexpr Kind allKind = withFirsts();

}  // namespace steptree::detail
