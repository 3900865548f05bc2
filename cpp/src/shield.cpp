#include "budget.hpp"
#include "cleanup.hpp"
#include "completion.hpp"
#include "enter.hpp"
#include "fixed.hpp"
#include "level.hpp"
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

void checkShield(const Line&, const StepSpec& spec) {
    const std::int64_t ms = spec.count;
    if (ms >= 0 && ms != kForever) return;
    misuse("shield: expected a limit of at least 0 ms that is not infinite, got " +
           (ms == kNoDuration ? std::string("no number") : std::to_string(ms)));
}

void makeShield(Step& step, const StepSpec& spec) noexcept {
    auto& made = *::new (&step + 1) Shelter;
    made.state = Shelter::State::open;
    made.limit = spec.count;
    made.step = &step;
}

bool openShield(Line& line, Step*& level, Budget& budget) noexcept {
    if (isPutBack(line, budget)) return false;
    Step& step = *level;
    openNext(line, level, step);
    markArena(step);
    Shelter& made = partOf<Shelter>(step);
    link(step, made);
    shelter(line, step, made);
    armDeadline(line, made, made.limit);
    if (!step.ops->wantsValues) line.clearValues();
    return runBody(line, step, budget, line.values, kCloses);
}

bool openDeferred(Line& line, Step*& level, Budget& budget) noexcept {
    if (isPutBack(line, budget)) {
        disarmDeadline(line, shelterOf(*line.top));  // the grace of the one before, which is over
        return false;
    }
    Step& step = *level;
    openNext(line, level, step);
    Shelter& made = shelterOf(*step.parent);
    made.running = &step;
    armGrace(line, made);
    if (dropValues(line) != Entered::on) return false;
    return runBody(line, step, budget, nullptr);
}

}  // namespace

extern constexpr Kind shieldKind{
    .size = sizeof(Shelter), .check = &checkShield, .make = &makeShield, .open = &openShield};
extern constexpr Kind deferredKind{.element = PathElement::deferred, .open = &openDeferred};

}  // namespace steptree::detail
