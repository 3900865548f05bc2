#include "telling.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "cancel.hpp"
#include "error.hpp"
#include "foreign.hpp"
#include "report.hpp"

/// While observers are called the flow has code on the native stack, and its tool performs a
/// closing: what they ask for is latched or put off, and nothing moves. What they cause is told
/// behind the present event.
namespace steptree::detail {

namespace {

/// Every line of the flow.
template <class Visit>
void eachLine(Flow& flow, Visit visit) noexcept {
    Line* line = &flow;
    for (;;) {
        visit(*line);
        const bool hosts = line->top != nullptr && kindOf(*line->top).hasBranches;
        Branch* next = hosts ? branchesOf(*line->top).eldest : nullptr;
        while (next == nullptr && line->isBranch()) {
            auto& branch = static_cast<Branch&>(*line);
            next = branch.younger;
            line = branch.host->line;
        }
        if (next == nullptr) return;
        line = next;
    }
}

/// Nothing of it has been told yet.
void beginWith(Flow& flow) noexcept {
    flow.bits |= kObserved;
    eachLine(flow, [](Line& line) {
        line.bits &= ~std::uint32_t{kSeen};
        for (Step* step = line.top; step != nullptr; step = step->parent)
            step->flags &= static_cast<std::uint16_t>(~kShown);
    });
}

/// While a tool goes there is more in the list than flows, and nothing of them is observed anew.
template <class Visit>
void eachFlow(ToolCore& core, Visit visit) noexcept {
    if (core.stopped()) return;
    for (Live* live = core.flowsLive.first(); live != nullptr; live = core.flowsLive.next(*live))
        visit(static_cast<Flow&>(*live));
}

template <class Kept>
bool anyIsOver(const std::vector<std::shared_ptr<Kept>>& all) noexcept {
    return std::any_of(all.begin(), all.end(), [](const auto& each) { return each->over.load(); });
}

template <class Kept>
bool anyHearsBodies(const std::vector<std::shared_ptr<Kept>>& all) noexcept {
    return std::any_of(all.begin(), all.end(), [](const auto& each) { return each->bodies; });
}

/// The first that is over; null: none is.
template <class Kept>
std::shared_ptr<Kept> takeOver(std::vector<std::shared_ptr<Kept>>& all) noexcept {
    const auto isOver = [](const auto& each) { return each->over.load(); };
    const auto found = std::find_if(all.begin(), all.end(), isOver);
    if (found == all.end()) return nullptr;
    auto taken = std::move(*found);
    all.erase(found);
    return taken;
}

/// The error that an observer has thrown, where it was told.
void reportThrown(const EventData& event) noexcept {
    if (event.step != nullptr) return report(event.flow, std::current_exception(), *event.step);
    Step root(StepKind::plain, nullptr, event.flow, nullptr);
    const ErrorRef error = toRecord(std::current_exception(), root);
    if (!isPrepared(*error.get())) error->crumbCount = 0;  // there is no step
    report(event.flow, error);
}

}  // namespace

template <class Kept>
void Observers::addTo(std::vector<Kept>& all, Kept&& added) {
    dropOver();
    const bool first = isUnused();
    const bool tellsBodies = added->bodies;
    all.push_back(std::move(added));
    bodies = bodies || tellsBodies;
    if (!first) return;
    sequence = 0;
    eachFlow(core, beginWith);
    core.observed(true);
}

void Observers::add(std::shared_ptr<Watch> watch) {
    addTo(watches, std::move(watch));
}

void Observers::add(std::shared_ptr<Sink> sink) {
    addTo(sinks, std::move(sink));
}

/// What an observer holds may call anything when it goes.
void Observers::dropOver() noexcept {
    if (telling || !(anyIsOver(sinks) || anyIsOver(watches))) return;
    while (const auto gone = takeOver(sinks)) gone->close();
    while (const auto gone = takeOver(watches)) {
        const auto held = std::move(gone->tell);  // here, whoever has its handle
    }
    bodies = anyHearsBodies(sinks) || anyHearsBodies(watches);
    if (!isUnused()) return;
    called = nullptr;
    times.clear();
    ObservedTurn::forget(turn);
    core.observed(false);
    eachFlow(core, [](Flow& flow) { flow.bits &= ~std::uint32_t{kObserved | kSeen}; });
}

void Observers::stop() noexcept {
    for (const auto& sink : sinks) sink->over = true;
    for (const auto& watch : watches) watch->over = true;
    dropOver();
}

Observers& observersIn(ToolCore& core) {
    auto& observers = core.engine.observers;
    if (observers == nullptr) observers.reset(new Observers(core));
    return *observers;
}

void endListening(Listener& listener) noexcept {
    if (listener.over.exchange(true)) return;
    ToolCore& core = *listener.core;
    if (core.onOwnThread() && core.alive()) core.engine.observers->dropOver();
}

void Observers::begin(Flow& flow) noexcept {
    flow.bits |= kObserved | kSeen;
    times.begun(flow, now());
    if (!telling) return tell({.what = What::begun, .flow = flow});
    if (begins == nullptr) begins = &flow;
}

void Observers::callOne(Watch& watch, const EventData& event) noexcept {
    try {
        watch.tell(FlowEvent(event));
    } catch (...) {
        reportThrown(event);
    }
}

/// What happens in a turn has the time of its first event, or of the body that was told last.
std::int64_t Observers::now() noexcept {
    if (turn == nullptr || !hasTime_) time_ = core.now();
    hasTime_ = true;
    return time_;
}

void Observers::call(EventData& event) noexcept {
    const bool isBody = event.what == What::body || event.what == What::returned;
    if (isBody) renewTime();
    event.sequence = ++sequence;
    event.time = now();
    for (const auto& sink : sinks) {
        if (!sink->over && (sink->bodies || !isBody)) sink->note(event);
    }
    const std::size_t count = watches.size();  // who begins to observe now isn't told of this
    for (std::size_t i = 0; i < count; ++i) {
        Watch& watch = *watches[i];
        if (!watch.over && (watch.bodies || !isBody)) callOne(watch, event);
    }
    if (!std::exchange(speaks, false)) return;
    const std::size_t speakers = sinks.size();
    for (std::size_t i = 0; i < speakers; ++i) {
        if (!sinks[i]->over) sinks[i]->speak(event);
    }
}

/// What the observers cancel waits for the end of the closing or turn that runs; the flow itself
/// has code on the native stack. A flow that they execute is told behind.
void Observers::tell(EventData&& event) noexcept {
    EngineShare& share = event.flow.share();
    {
        const OnStack onStack(event.flow);
        ++share.closings;
        telling = true;
        if (event.what == What::ended) ends = &event.flow;
        call(event);
        while (begins != nullptr) {
            Flow& flow = static_cast<Flow&>(*begins);
            begins = core.flowsLive.next(flow);
            const OnStack begun(flow);
            EventData next{.what = What::begun, .flow = flow};
            call(next);
        }
        ends = nullptr;
        telling = false;
        --share.closings;
        dropOver();
        if (event.what == What::ended) event.flow.bits &= ~std::uint32_t{kCancelLatch};  // too late
    }
    if (turn == nullptr && share.closings == 0) performCancels(share);
}

void Observers::endTurn() noexcept {
    for (const auto& sink : sinks) {
        if (!sink->over) sink->turned();
    }
    for (const auto& watch : watches) {
        if (watch->turnEnds && !watch->over) watch->turnEnds();
    }
}

void Observers::passed() noexcept {
    for (const auto& sink : sinks) {
        if (!sink->over) sink->passed();
    }
}

std::int64_t Observers::nextAlarm() const noexcept {
    std::int64_t next = ToolCore::kNever;
    for (const auto& sink : sinks) {
        if (!sink->over) next = std::min(next, sink->alarm);
    }
    return next;
}

/// The first of those that are due: it calls code of the program.
void Observers::ring() noexcept {
    const auto isDue = [now = core.now()](const auto& sink) {
        return !sink->over && sink->alarm <= now;
    };
    const auto found = std::find_if(sinks.begin(), sinks.end(), isDue);
    if (found == sinks.end()) return;
    const std::shared_ptr<Sink> rung = *found;  // which may end itself
    rung->ring();
}

void EngineShare::passed() noexcept {
    if (observers != nullptr) observers->passed();
}

std::int64_t EngineShare::nextAlarm() const noexcept {
    return observers != nullptr ? observers->nextAlarm() : ToolCore::kNever;
}

void EngineShare::ring() noexcept {
    observers->ring();
}

bool EngineShare::isTelling() const noexcept {
    return observers != nullptr && observers->telling;
}

void EngineShare::dropObservers() noexcept {
    if (observers != nullptr) observers->stop();
}

void DropObservers::operator()(Observers* observers) const noexcept {
    delete observers;
}

}  // namespace steptree::detail
