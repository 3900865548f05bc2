#include "adder.hpp"
#include "cleanup.hpp"
#include "completion.hpp"
#include "fixed.hpp"
#include "misuse.hpp"
#include "steptree/detail/duration.hpp"

/// Steps that are shielded, and functions that other steps defer. The rest is cleanup.cpp's.
namespace steptree::detail {

void Step::keepDeferred(const ClosureOps& ops, void* source) {
    checkCall(*this, "defer");
    checkFits(*line, ops);
    Shelter& shelter = makeShelter(*this);
    noteKept(*this);
    void* const memory = line->arena.allocate(*line, sizeof(Step) + ops.room);
    Step& made = *::new (memory) Step(StepKind::deferred, &ops, *line, this);
    constructClosure(ops, closureOf(made), source);
    if (ops.destroy != nullptr) made.flags |= kOwns;
    made.index = shelter.count++;
    made.next = std::exchange(shelter.deferred, &made);
    flags |= kDefers;
    if (latches()) line->marks |= kCloses;
}

namespace {

void makeShield(Step& step, const StepSpec& spec) noexcept {
    auto& made = *::new (&step + 1) Shelter;
    made.state = Shelter::State::open;
    made.limit = spec.count;
    made.step = &step;
}

Answer openShield(Line& line, Step& step) noexcept {
    markArena(step);
    Shelter& made = partOf<Shelter>(step);
    link(step, made);
    shelter(line, step, made);
    armDeadline(line, made, made.limit);
    if (const Definition* const inside = insideOf(*step.ops, closureOf(step)))
        return openPart(line, step, *inside, kHidden);
    giveBody(line, step, kCloses);
    return Answer::ready;
}

Answer openDeferred(Line& line, Step& step) noexcept {
    Shelter& made = shelterOf(*step.parent);
    made.running = &step;
    armGrace(line, made);
    step.flags |= kOwed;
    giveBody(line, step);
    return Answer::ready;
}

void closeDeferred(Step& step, const Why&) noexcept {
    disarmDeadline(*step.line, shelterOf(*step.parent));  // its grace
}

}  // namespace

extern constexpr Kind shieldKind{.size = sizeof(Shelter),
                                 .isFree = false,
                                 .make = &makeShield,
                                 .open = &openShield,
                                 .name = "shield"};
extern constexpr Kind deferredKind{.element = PathElement::deferred,
                                   .isFree = false,
                                   .dropsValue = true,
                                   .open = &openDeferred,
                                   .closed = &closeDeferred,
                                   .name = "defer"};

}  // namespace steptree::detail
