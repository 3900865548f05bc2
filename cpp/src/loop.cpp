#include "engine.hpp"

namespace steptree::detail {

namespace {

/// Whether there is another iteration. A collection's iterator is user code.
bool more(Line& line, Step& loop, LoopPart& part) noexcept {
    if (loop.kind == StepKind::loop) return true;
    if (loop.kind == StepKind::repeat) return part.index + 1 < part.count;
    if (part.ready) return true;
    try {
        part.ready = static_cast<const ForEachOps*>(loop.ops)->next(closureOf(loop));
        return part.ready;
    } catch (...) {
        latchFail(line, toRecord(std::current_exception(), loop));
        return false;
    }
}

void open(Line& line, Step& loop, LoopPart& part) noexcept {
    Step& iteration = part.iteration;
    ++part.index;
    part.ready = false;
    iteration.next = nullptr;
    iteration.parent = &loop;
    iteration.line = &line;
    iteration.count = 0;
    iteration.mark = line.arena.mark();
    line.top = &iteration;
}

}  // namespace

bool iterate(Line& line, Step& loop, std::uint32_t& budget) noexcept {
    LoopPart& part = partOf<LoopPart>(loop);
    Flow& flow = *line.flow;
    void* const closure = closureOf(loop);
    clearMarks(line);
    for (;;) {
        if (!line.results.empty()) line.results.clear();
        if (!more(line, loop, part)) {
            if ((line.marks & kError) != 0) return goOn(line, unwind(line, takeError(line)));
            close(line, loop);
            return true;
        }
        if (flow.cancelled()) return false;
        if (budget == 0) {
            line.core().enqueue(line);
            return false;
        }
        budget = line.core().bodyRan() ? 0 : budget - 1;
        open(line, loop, part);
        Step& iteration = part.iteration;
        iteration.phase = Phase::body;
        line.marks = 0;
        line.tail = nullptr;
        CallArgs args{nullptr, part.index};
        invoke(line, iteration, *loop.ops, closure, args);
        if (line.marks != 0 || flow.cancelled()) return settle(line, iteration);
        if (iteration.next != nullptr) {
            iteration.phase = Phase::inner;
            return true;
        }
        close(line, iteration);
    }
}

Step* findLoop(Step& from, std::string_view label) noexcept {
    for (Step* step = from.parent; step != nullptr; step = step->parent) {
        if (step->isLoop() && (label.empty() || partOf<LoopPart>(*step).label == label))
            return step;
    }
    return nullptr;
}

}  // namespace steptree::detail
