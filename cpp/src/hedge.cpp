#include "steptree/hedge.hpp"

#include <chrono>

#include "adder.hpp"
#include "branches.hpp"
#include "closing.hpp"
#include "error.hpp"
#include "fixed.hpp"
#include "retry.hpp"
#include "unwind.hpp"

/// Steps that begin a further attempt when those before it are slow. Attempts are branches, which
/// are made one at a time:
///
///     opened -> attempt |0 -> `after` is over, or all have failed -> attempt |1 -> ... -> the
///     first ok, or the error of the last
///
/// The part is the timer that says when the next one begins. It's no deadline: what runs inside has
/// more time than that. A fixed flow reserves the lines of all attempts when the step opens.
namespace steptree::detail {

namespace {

struct HedgePart : HostPart, TimerNode {
    HedgePart(Step& step, const StepSpec& spec) noexcept;
    HedgePart(const HedgePart&) = delete;
    HedgePart& operator=(const HedgePart&) = delete;
    ~HedgePart() { dropFailures(failures); }

    const HedgeOptions& options() const noexcept { return *definition.options; }

    const HedgeDefinition& definition;
    Results found;                  // for each attempt, with its number
    std::int64_t attempts = 0;      // that have begun
    std::int64_t left = 0;          // that may still begin
    ErrorData* failures = nullptr;  // of attempts: one reference each, the last one first
    std::uint32_t paid = 0;         // so many of the next ones need no token any more
};

static_assert(sizeof(HedgePart) <= NitroSizes::retry);

/// None begins any more.
void forgo(HedgePart& part) noexcept {
    Flow& flow = *stepOf(part).line->flow;
    flow.tool->disarm(part);
    const auto left = static_cast<std::size_t>(std::exchange(part.left, 0));
    if (Fixed* const fixed = fixedOf(flow)) fixed->unreserveRegions(left);
}

/// Whether there may be another one, which it pays for.
bool mayBegin(HedgePart& part) noexcept {
    if (part.left == 0) return false;
    if (part.paid > 0) {
        --part.paid;
        return true;
    }
    RetryBudget* const budget = part.options().budget;
    if (budget == nullptr || budget->take()) return true;
    forgo(part);
    return false;
}

void waitFor(HedgePart& part, std::int64_t ms) noexcept {
    ToolCore& core = stepOf(part).line->core();
    core.disarm(part);
    if (part.left > 0 && ms != kForever) core.armNew(part, ms);
}

/// What the step has found, then the number. Throws bad_alloc.
void giveValues(HedgePart& part, Branch& attempt) {
    const bool numbered = part.definition.numbered;
    if (part.found.empty() && !numbered) return;
    const std::int64_t number = part.attempts + 1;
    attempt.makeValues();
    if (part.found.empty()) return attempt.values->set(number);
    attempt.values->refer(part.found);
    if (!numbered) return;
    if (std::int64_t* const place = attempt.values->share(true)) *place = number;
}

/// The next attempt, at the tail of the queue. False: there is no memory for it.
bool begin(Step& host, ErrorRef& error) noexcept {
    HedgePart& part = partOf<HedgePart>(host);
    Line& line = *host.line;
    Step* step = nullptr;
    Branch* attempt = nullptr;
    error = enterForGood(host, [&] {
        step = &makePartOf(line, nullptr, *part.definition.body);
        attempt = &makeBranch(part);
        --part.left;
        linkBranch(part, *attempt);
        ++part.open;
        giveValues(part, *attempt);
    });
    if (error) {
        if (attempt != nullptr) closeBranch(*attempt);
        if (step != nullptr) dropQueued(*line.flow, step);
        return false;
    }
    step->line = attempt;
    step->flags &= static_cast<std::uint16_t>(~kNamed);  // a name that repeats says less
    attempt->first = step;
    attempt->index = static_cast<std::size_t>(part.attempts++);
    waitFor(part, part.definition.after);
    line.core().enqueue(*attempt);
    return true;
}

/// With the errors of the other attempts.
void addOthers(HedgePart& part, const ErrorRef& error) noexcept {
    ErrorRef failure(std::exchange(part.failures, nullptr));
    while (failure) {
        ErrorRef before(std::exchange(failure->before, nullptr));
        if (failure.get() != error.get() && isAgain(*error.get(), *failure.get())) {
            replaces(*error.get(), *failure.get());  // thrown again it takes its own place
        } else {
            addAlso(*error.get(), std::move(failure));
        }
        failure = std::move(before);
    }
}

/// The wait for the next one is over.
void fireHedge(TimerNode* node) noexcept {
    HedgePart& part = static_cast<HedgePart&>(*node);
    if (!mayBegin(part)) return;
    Step& host = stepOf(part);
    ErrorRef error;
    if (begin(host, error)) return;
    addOthers(part, error);
    failStep(host, std::move(error));
}

HedgePart::HedgePart(Step& step, const StepSpec& spec) noexcept
    : definition(definitionOf<HedgeDefinition>(spec)) {
    step.flags |= kOwns;
    fire = &fireHedge;
}

void destroyHedge(Step& host) noexcept {
    partOf<HedgePart>(host).~HedgePart();
}

Answer openHedge(Line& line, Step& host) noexcept {
    HedgePart& part = partOf<HedgePart>(host);
    ErrorRef error;
    const Entered went = enter(host, error, [&] {
        markArena(host);
        const std::int64_t max = part.options().max;
        if (Fixed* const fixed = fixedOf(*line.flow))
            fixed->reserveRegions(line, static_cast<std::size_t>(max));
        part.left = max;
        if (!line.hasValues()) return;
        line.values->share(false);
        part.found = std::move(*line.values);
    });
    if (went == Entered::on && begin(host, error)) return Answer::pending;
    forgo(part);
    return went == Entered::cancelled ? Answer::pending : unwind(line, std::move(error));
}

void attemptEnded(Branch& attempt) noexcept {
    RetryBudget* const budget = partOf<HedgePart>(*attempt.host).options().budget;
    if (budget != nullptr) budget->putBack();
    win(attempt);
}

/// After an error that is worth another attempt: whether there is something to wait for.
bool goesOn(Step& host, const RetryDecision& decision, ErrorRef& error) noexcept {
    HedgePart& part = partOf<HedgePart>(host);
    const bool runs = part.open != 0;
    if (!decision.hasWait()) return runs || (mayBegin(part) && begin(host, error));
    ToolCore& core = host.line->core();
    core.disarm(part);
    const std::int64_t wait = wholeMilliseconds(decision.wait());
    const Deadline* const deadline = deadlineOf(*host.line);
    if (deadline != nullptr && wait > core.left(*deadline)) return runs;
    if (!runs) {
        if (!mayBegin(part)) return false;
        ++part.paid;
    }
    waitFor(part, wait);
    return true;
}

bool attemptFailed(Branch& attempt, ErrorRef& error) noexcept {
    Step& host = *attempt.host;
    Line& line = *host.line;
    HedgePart& part = partOf<HedgePart>(host);
    closeBranch(attempt);
    RetryDecision decision = false;
    const Entered went = askAgain(host, part.options().on, error, decision);
    if (went == Entered::cancelled) return false;
    if (went == Entered::on && decision.again()) {
        ErrorRef failure = share(error.get());
        if (isRefusal(*failure.get())) ++part.paid;
        if (!decision.hasWait() && failure->retryAfter > 0)
            decision = std::chrono::milliseconds(failure->retryAfter);
        if (goesOn(host, decision, error)) {
            if (isPrepared(*failure.get())) return false;
            failure->before = part.failures;
            part.failures = failure.detach();
            return false;
        }
    }
    forgo(part);
    addOthers(part, error);
    return closeInside(line, &host, error) && !cancelled(line);
}

void stopHedge(Step& host) noexcept {
    forgo(partOf<HedgePart>(host));
}

/// Between two attempts.
Waits waitsOfHedge(Step& host) noexcept {
    const HedgePart& part = partOf<HedgePart>(host);
    if (part.open != 0 || !part.armed()) return {};
    return {.what = Waits::timer, .due = &part};
}

}  // namespace

extern constexpr Kind hedgeKind{.size = sizeof(HedgePart),
                                .hasBranches = true,
                                .takesValues = true,
                                .make = &makePart<HedgePart>,
                                .destroy = &destroyHedge,
                                .open = &openHedge,
                                .branchEnded = &attemptEnded,
                                .branchFailed = &attemptFailed,
                                .branchLeft = &leaveRoom,
                                .stop = &stopHedge,
                                .name = "hedge",
                                .waits = &waitsOfHedge};

}  // namespace steptree::detail
