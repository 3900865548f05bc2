#include "level.hpp"

namespace steptree::detail {

namespace {

/// A collection's iterator is user code.
bool nextElement(Line& line, Step& loop, LoopPart& part) noexcept {
    if (part.ready) return true;
    try {
        part.ready = static_cast<const ForEachOps*>(loop.ops)->next(closureOf(loop));
        return part.ready;
    } catch (...) {
        latchFail(line, toRecord(std::current_exception(), loop));
        return false;
    }
}

/// Whether there is another iteration. The count of an endless loop is the largest number.
inline bool more(Line& line, Step& loop, LoopPart& part) noexcept {
    if (loop.kind == StepKind::forEach) return nextElement(line, loop, part);
    return part.index + 1 < part.count;
}

void open(Line& line, Step& loop, Step& iteration) noexcept {
    iteration.next = nullptr;
    iteration.parent = &loop;
    iteration.line = &line;  // a branch's root step was made on its parent's line
    iteration.extras = nullptr;
    iteration.count = 0;
    iteration.flags = 0;
    line.marks = 0;
    line.top = &iteration;
}

/// Whether the iteration's body has left nothing behind, so that the next one may use its step as
/// it is.
bool leftNothing(const Line& line, const Step& iteration) noexcept {
    return line.marks == 0 && iteration.next == nullptr && (iteration.flags & kMarked) == 0 &&
           !line.flow->cancelled();
}

/// Runs what the iteration's body has left. True: it is closed, the next one may begin; else
/// `goesOn` tells what iterate() has to.
bool finished(Line& line, Step& iteration, Budget& budget, bool& goesOn) noexcept {
    goesOn = false;
    if (line.flow->cancelled()) return false;
    if ((line.marks & ~std::uint32_t{kSuccess}) != 0 ||
        (line.marks != 0 && iteration.next != nullptr)) {
        if (onlyWaits(line, iteration)) return false;
        goesOn = settle(line, iteration);
        return false;
    }
    if (iteration.next != nullptr) {
        iteration.phase = Phase::inner;
        const Level level = runPlain(line, &iteration, budget);
        goesOn = level != Level::over;
        if (level != Level::through || iteration.next != nullptr) return false;
    }
    close(line, iteration);
    line.results.clear();
    return !line.flow->cancelled();
}

}  // namespace

bool iterate(Line& line, Step& loop, Budget& budget) noexcept {
    LoopPart& part = partOf<LoopPart>(loop);
    Step& iteration = part.iteration;
    void* const closure = closureOf(loop);
    CallArgs args;
    bool goesOn = true;
    clearMarks(line);
    line.results.clear();
    while (more(line, loop, part)) {
        if (line.flow->cancelled()) return false;
        if (budget.spent()) {
            line.core().enqueue(line);
            return false;
        }
        open(line, loop, iteration);
        do {
            budget.spend();
            part.ready = false;
            iteration.phase = Phase::body;
            args.index = ++part.index;
            invoke(line, iteration, *loop.ops, closure, args);
        } while (leftNothing(line, iteration) && !budget.spent() &&
                 loop.kind != StepKind::forEach && more(line, loop, part));
        if (!finished(line, iteration, budget, goesOn)) return goesOn;
    }
    if ((line.marks & kError) != 0) return goOn(line, unwind(line, takeError(line)));
    close(line, loop);
    return true;
}

Step* findLoop(Step& from, std::string_view label) noexcept {
    for (Step* step = from.parent; step != nullptr; step = step->parent) {
        if (step->isLoop() && (label.empty() || partOf<LoopPart>(*step).label == label))
            return step;
    }
    return nullptr;
}

}  // namespace steptree::detail
