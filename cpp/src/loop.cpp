#include "engine.hpp"

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
    iteration.line = &line;
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

}  // namespace

bool iterate(Line& line, Step& loop, std::uint32_t& budget) noexcept {
    LoopPart& part = partOf<LoopPart>(loop);
    Step& iteration = part.iteration;
    ToolCore& core = line.core();
    void* const closure = closureOf(loop);
    clearMarks(line);
    line.results.clear();
    while (more(line, loop, part)) {
        if (line.flow->cancelled()) return false;
        if (budget == 0) {
            core.enqueue(line);
            return false;
        }
        open(line, loop, iteration);
        do {
            budget = core.bodyRan() ? 0 : budget - 1;
            part.ready = false;
            iteration.phase = Phase::body;
            CallArgs args{nullptr, ++part.index};
            invoke(line, iteration, *loop.ops, closure, args);
        } while (leftNothing(line, iteration) && budget != 0 && loop.kind != StepKind::forEach &&
                 more(line, loop, part));
        if (line.marks != 0) return settle(line, iteration);
        if (iteration.next != nullptr) {
            iteration.phase = Phase::inner;
            return !line.flow->cancelled();
        }
        close(line, iteration);
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
