#pragma once

#include "step.hpp"
#include "steptree/iparallel.hpp"

/// Branches that have not started, and what a Kind of steps with branches is made of.
namespace steptree::detail {

/// What `parallel()` returned.
struct BranchAdder final : IParallel {
    explicit BranchAdder(Step& step) noexcept : step(step) {}
    void addStep(const StepSpec& spec) override;
    void* addBare(const ClosureOps& ops) override;
    void addDefined(const Definition& definition) override;

    Step& step;
};

struct ParallelPart : HostPart {
    ParallelPart(Step& step, const StepSpec&) noexcept : adder(step) {}

    std::uint32_t count = 0;
    Step* first = nullptr;  // branches that have not started
    Step* last = nullptr;
    const Results* found = nullptr;  // what each branch is given
    BranchAdder adder;
};

/// The last of the branches from now on.
inline void queueBranch(Step& host, Step& branch) noexcept {
    ParallelPart& part = partOf<ParallelPart>(host);
    branch.index = part.count++;
    (part.first == nullptr ? part.first : part.last->next) = &branch;
    part.last = &branch;
}

/// Those that are linked begin.
Answer openBranches(Line& line, Step& host) noexcept;
/// All have ended, with nothing to give, or what its handler has added has.
Answer endBranches(Line& line, Step& host) noexcept;
/// One has ended with ok.
void endBranch(Branch& branch) noexcept;
void leaveRoom(Branch& branch) noexcept;
/// A branch that nobody knows yet; of a fixed flow it takes a region that is reserved. Throws
/// bad_alloc.
Branch& makeBranch(HostPart& part);

/// The first of its step has ended with ok: its values are the step's, the others are closed.
void win(Branch& branch) noexcept;

/// Those that have nothing but their steps.
Step* firstUnstarted(Step& host) noexcept;
/// The others, which have nothing but their steps, go.
void dropUnstarted(Step& host) noexcept;

}  // namespace steptree::detail
