#include "cancel.hpp"
#include "lane.hpp"
#include "onstack.hpp"
#include "run.hpp"
#include "telling.hpp"

/// The turns of lines of an observed tool. Whatever is queued is shown to the engine then, which
/// gives lines the observed turn: in that no body is called in passing.
namespace steptree::detail {

namespace {

void tellTurn(Line& line) noexcept {
    if ((line.bits & kSeen) == 0) {
        line.bits |= kSeen;
        if (Step* const innermost = innermostOf(line)) tellOpen(*innermost);
    }
    if (isHidden(line)) return;
    observersAt(line).times.goesOn(line);
    Step* const last = shownFrom(innermostOf(line));
    observersAt(line).tell({.what = What::turn, .flow = *line.flow, .step = last});
}

/// The line's turn is over.
void tellWaits(Line& line) noexcept {
    if (line.queued() || line.top == nullptr || !isObserved(*line.flow) || cancelled(line)) return;
    Step* const innermost = innermostOf(line);
    if (innermost == nullptr) return;
    const OnStack onStack(*line.flow);
    tellOpen(*innermost);
    if (kindOf(*line.top).hasBranches) return;
    Observers& observers = observersAt(line);
    observers.tell({.what = What::waits, .flow = *line.flow, .step = innermost, .line = &line});
    if (isObserved(*line.flow)) observers.times.waits(line, observers.now());
}

}  // namespace

void EngineShare::queued(RunNode& node) noexcept {
    if (node.run == &startNext<QuietTurn>) {
        node.run = &startNext<ObservedTurn>;
        return;
    }
    const bool isTurn = node.run == &turn || node.run == &observedTurn ||
                        node.run == &ownedTurn<kOwned> || node.run == &ownedTurn<kRuns>;
    if (observeItems(node) || !isTurn) return;
    auto& line = static_cast<Line&>(node);
    line.run = &observedTurn;
    if (!line.isBranch() && !isObserved(*line.flow)) observers->begin(*line.flow);
}

ObservedTurn::ObservedTurn(EngineShare& share) noexcept
    : share_(share), outer_(share.observers != nullptr ? share.observers->turn : nullptr) {
    if (share.observers == nullptr) return;
    share.observers->turn = this;
    share.observers->renewTime();
}

bool ObservedTurn::run(Line& line) noexcept {
    if (isObserved(*line.flow)) {
        line_ = &line;
        tellTurn(line);
        if (cancelled(line)) return false;  // by an observer
    }
    resume(line);
    return false;
}

void ObservedTurn::runInside(Line& line) noexcept {
    ObservedTurn* const turn = isObserved(*line.flow) ? observersAt(line).turn : nullptr;
    if (turn != nullptr && turn->line_ == nullptr) {
        turn->run(line);
    } else {
        resume(line);
    }
}

ObservedTurn::~ObservedTurn() {
    if (share_.observers == nullptr) return;
    if (line_ != nullptr) tellWaits(*line_);
    share_.observers->turn = outer_;
    share_.observers->renewTime();
    if (outer_ == nullptr && share_.closings == 0) performCancels(share_);
    share_.observers->endTurn();
}

void ObservedTurn::forget(ObservedTurn* innermost, const Line* line) noexcept {
    for (ObservedTurn* at = innermost; at != nullptr; at = at->outer_) {
        if (line == nullptr || at->line_ == line) at->line_ = nullptr;
    }
}

void endObserved(Line& line) noexcept {
    Observers& observers = observersAt(line);
    observers.times.ended(line);
    ObservedTurn::forget(observers.turn, &line);
}

void observedTurn(RunNode* node) noexcept {
    auto& line = static_cast<Line&>(*node);
    node->run = &turn;
    ObservedTurn turn(*line.flow);
    const OnStack onStack(*line.flow);
    turn.run(line);
}

}  // namespace steptree::detail
