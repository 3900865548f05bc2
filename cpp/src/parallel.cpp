#include <new>

#include "fixed.hpp"

/// Branches: light lines in the arena of the line that the parallel step is on.
namespace steptree::detail {

bool startBranches(Line& line, Step& host) noexcept {
    ParallelPart& part = partOf<ParallelPart>(host);
    if (part.count == 0) {
        close(line, host);
        return true;
    }
    Fixed* const fixed = fixedOf(*line.flow);
    char* memory = nullptr;
    try {
        if (fixed != nullptr) {
            fixed->needRegions(line, part.count);
        } else {
            markArena(host);
            memory = static_cast<char*>(line.arena.allocate(line, part.count * sizeof(Branch)));
        }
    } catch (...) {
        dropQueued(*line.flow, part.first);
        return goOn(line, unwind(line, toRecord(std::current_exception(), host)));
    }
    Branch* last = nullptr;
    for (Step* step = part.first; step != nullptr;) {
        Step* next = std::exchange(step->next, nullptr);
        void* const place =
            fixed != nullptr ? fixed->takeRegion() : memory + part.open * sizeof(Branch);
        Branch& branch = *::new (place) Branch(*line.flow, host, part.open);
        ++part.open;
        if (fixed != nullptr) fixed->embed(branch);
        (last == nullptr ? part.branches : last->younger) = &branch;
        branch.elder = std::exchange(last, &branch);
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
    return part.branches;
}

void branchClosed(Branch& branch) noexcept {
    branch.core().remove(branch);
    branch.dropValues();
    branch.arena.clear(branch.core(), &branch.arena);
    ParallelPart& part = partOf<ParallelPart>(*branch.host);
    --part.open;
    (branch.elder == nullptr ? part.branches : branch.elder->younger) = branch.younger;
    if (branch.younger != nullptr) branch.younger->elder = branch.elder;
    if (Fixed* const fixed = fixedOf(*branch.flow)) fixed->giveRegion(&branch);
}

void branchDone(Branch& branch) noexcept {
    Step& host = *branch.host;
    branchClosed(branch);
    if (partOf<ParallelPart>(host).open == 0) branch.core().enqueue(*host.line);
}

}  // namespace steptree::detail
