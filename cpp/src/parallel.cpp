#include <new>

#include "engine.hpp"

/// Branches: light lines in the arena of the line that the parallel step is on.
namespace steptree::detail {

bool startBranches(Line& line, Step& host) noexcept {
    ParallelPart& part = partOf<ParallelPart>(host);
    if (part.count == 0) {
        close(line, host);
        return true;
    }
    void* memory = nullptr;
    try {
        markArena(host);
        memory = line.arena.allocate(line.core(), part.count * sizeof(Branch));
    } catch (...) {
        dropQueued(*line.flow, part.first);
        return goOn(line, unwind(line, toRecord(std::current_exception(), host)));
    }
    part.branches = static_cast<Branch*>(memory);
    for (Step* step = part.first; step != nullptr;) {
        Step* next = std::exchange(step->next, nullptr);
        Branch& branch = *::new (&part.branches[part.open]) Branch(*line.flow, host, part.open);
        ++part.open;
        branch.run = &turn;
        branch.first = step;
        step->line = &branch;
        if (step->isLoop()) partOf<LoopPart>(*step).iteration.line = &branch;
        line.core().enqueue(branch);
        step = next;
    }
    part.first = nullptr;
    return false;
}

Branch* nextOpenBranch(Step& host) noexcept {
    ParallelPart& part = partOf<ParallelPart>(host);
    if (part.open == 0) {
        dropQueued(*host.line->flow, part.first);
        return nullptr;
    }
    while (part.branches[part.next].closed) ++part.next;
    return &part.branches[part.next];
}

void branchClosed(Branch& branch) noexcept {
    branch.core().remove(branch);
    branch.freeValues();
    branch.arena.clear(branch.core(), &branch.arena);
    branch.closed = true;
    --partOf<ParallelPart>(*branch.host).open;
}

void branchDone(Branch& branch) noexcept {
    Step& host = *branch.host;
    branchClosed(branch);
    if (partOf<ParallelPart>(host).open == 0) branch.core().enqueue(*host.line);
}

}  // namespace steptree::detail
