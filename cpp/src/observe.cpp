#include "observe.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "enter.hpp"
#include "lane.hpp"
#include "run.hpp"
#include "telling.hpp"
#include "waits.hpp"

/// Events of steps and flows. What is open is told to observers late: before the first body or
/// handler that runs in it, or when its line waits. So a step that nobody could notice isn't told,
/// nor is its closing.
///
///     opened: kShown and kOwed -> popped, for whatever reason -> payOwed() -> closed
namespace steptree::detail {

namespace {

void tellOpened(const Unshown& shown) noexcept {
    Observers& observers = observersAt(*shown.step->line);
    shown.step->flags |= kShown | kOwed;
    observers.tell({.what = What::opened,
                    .flow = *shown.step->line->flow,
                    .step = shown.step,
                    .kind = shown.kind});
}

/// Short of memory a deep line is walked through again and again.
void tellEach(Step& innermost) noexcept {
    std::array<Unshown, 32> few;
    std::vector<Unshown> more;
    Unshown* steps = few.data();
    std::size_t room = few.size();
    std::size_t count = collect(innermost, steps, room);
    if (count > room) {
        try {
            more.resize(count);
            steps = more.data();
            room = count;
            collect(innermost, steps, room);
        } catch (const std::bad_alloc&) {
            // as many as there is room for
        }
    }
    while (count > 0) {
        const std::size_t told = std::min(count, room);
        for (std::size_t i = 0; i < told; ++i) tellOpened(steps[--count % room]);
        count = count > 0 ? collect(innermost, steps, room) : 0;
    }
}

}  // namespace

/// Mostly there is one step.
void tellOpen(Step& innermost) noexcept {
    if (isShown(innermost)) return;
    Step* const around = stepAround(innermost);
    const bool isOne = hasElement(innermost) && (around == nullptr || isShown(*around));
    if (!isOne) return tellEach(innermost);
    tellOpened({&innermost, callWith(callOf(innermost), nullptr)});
}

namespace {

/// Code of the step, which is its line's top, is about to be called. False: it's hidden.
bool showFor(Step& step) noexcept {
    if (isInLock(step)) return false;
    tellOpen(step);
    return true;
}

}  // namespace

void tellBody(Line& line, Step& step) noexcept {
    if (!showFor(step)) return;
    Observers& observers = observersAt(line);
    if (!observers.bodies) return;
    observers.called = &step;
    observers.tell({.what = What::body, .flow = *line.flow, .step = &step});
}

/// kCloses: so the body isn't left in passing.
void tellReturned(Line& line, Step& step) noexcept {
    line.marks |= kCloses;
    Observers& observers = observersAt(line);
    if (observers.called != &step) return;
    observers.called = nullptr;
    observers.tell({.what = What::returned, .flow = *line.flow, .step = &step});
}

void callObserved(Line& line, Step& step) noexcept {
    Observers& observers = observersAt(line);
    Step* const outer = observers.called;
    tellBody(line, step);
    enterBody(step, closureOf(step), nullptr);
    tellReturned(line, step);
    if (isObserved(*line.flow)) observers.called = outer;
}

void tellHandler(Line& line, Step& step, const ErrorData& error) noexcept {
    if (!showFor(step)) return;
    observersAt(line).tell(
        {.what = What::handler, .flow = *line.flow, .step = &step, .code = error.code});
}

void tellCancel(Step& step) noexcept {
    if (!showFor(step)) return;
    observersAt(*step.line).tell({.what = What::cancel, .flow = *step.line->flow, .step = &step});
}

void tellClosed(Step& step, const Why& why) noexcept {
    Flow& flow = *step.line->flow;
    EventData event{.what = What::closed, .flow = flow, .step = &step};
    event.outcome = why.how == Why::ok ? "ok" : why.how == Why::failed ? "error" : "left";
    if (why.how == Why::failed && why.error != nullptr) event.code = why.error->code;
    observersAt(flow).tell(std::move(event));
}

void tellAround(Line& line) noexcept {
    if (!isObserved(*line.flow)) return;
    for (Step* at = line.top; at != nullptr && at->next == nullptr; at = at->parent) {
        const auto endsInside = kindOf(*at).endsInside;
        if (endsInside == nullptr || at->phase != Phase::inner || !endsInside(*at)) return;
        if (!isTold(*at)) continue;
        at->flags &= static_cast<std::uint16_t>(~kShown);
        tellClosed(*at, kClosedOk);
    }
}

void tellEnded(Flow& flow, OutcomeKind kind, const ErrorData* error) noexcept {
    endObserved(flow);
    EventData event{.what = What::ended, .flow = flow};
    event.outcome = kind == OutcomeKind::ok      ? "ok"
                    : kind == OutcomeKind::error ? "error"
                                                 : "cancelled";
    if (kind == OutcomeKind::error) event.code = error->code;
    observersAt(flow).tell(std::move(event));
}

}  // namespace steptree::detail
