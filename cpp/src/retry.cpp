#include "retry.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "adder.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "foreign.hpp"
#include "frame.hpp"
#include "onstack.hpp"
#include "ontool.hpp"
#include "steptree/detail/checknumber.hpp"
#include "steptree/detail/nitro.hpp"
#include "unwind.hpp"

/// Steps that run their body again when it has failed. Each attempt is a step of its own in the
/// level of the retry, and between two of them stands a delay:
///
///     opened -> attempt #0 -> its error arrives here -> delay -> attempt #1 -> ... -> ok, or the
///     error goes on
///
/// Whether there is another attempt is asked when everything inside is closed, before the step's
/// own handler.
namespace steptree::detail {

namespace {

/// Behind a retry step.
struct RetryPart {
    RetryPart(Step& step, const StepSpec& spec) noexcept
        : definition(definitionOf<RetryDefinition>(spec)),
          wait(definition.options->backoff.base.count()) {
        step.flags |= kOwns;
    }

    RetryPart(const RetryPart&) = delete;
    RetryPart& operator=(const RetryPart&) = delete;
    ~RetryPart() { dropFailures(failures); }

    const RetryOptions& options() const noexcept { return *definition.options; }

    const RetryDefinition& definition;
    double wait;                     // the next one, before cap and jitter
    Results found;                   // for each attempt, with its number
    std::int64_t* number = nullptr;  // where that is
    std::int64_t attempts = 0;       // that have begun
    std::int64_t omitted = 0;        // errors between the first and the others of `failures`
    ErrorData* failures = nullptr;   // of attempts: one reference each, the last one first
    std::uint32_t kept = 0;          // so many they are
    bool due = true;                 // an attempt is to be queued
    bool over = false;               // there is no further attempt
};

static_assert(sizeof(RetryPart) + 2 * sizeof(Step) + sizeof(std::int64_t) +
                  rounded(sizeof(TimerExtra)) <=
              NitroSizes::retry);

/// What the step has found, then the number. Throws bad_alloc.
void giveValues(Line& line, RetryPart& part) {
    const bool found = !part.found.empty();
    if (!found && !part.definition.numbered) return;
    line.makeValues();
    if (!found) return line.values->set(part.attempts);
    if (part.number != nullptr) *part.number = part.attempts;
    line.values->refer(part.found);
}

/// It isn't counted: what a handler adds later counts from 0.
Answer openAttempt(Line& line, Step& retry) noexcept {
    RetryPart& part = partOf<RetryPart>(retry);
    const Definition& body = *part.definition.body;
    const auto index = static_cast<std::uint32_t>(part.attempts++);
    part.due = false;
    const ClosureOps* const ops = body.spec.ops;
    if (ops != nullptr && ops->wantsValues) {
        try {
            giveValues(line, part);
        } catch (...) {
            return unwind(line, toRecord(std::current_exception(), retry));
        }
    }
    return openPart(line, retry, body, kRound, index);
}

double backedOff(Line& line, const RetryPart& part) noexcept {
    const Backoff& backoff = part.options().backoff;
    double wait = std::min(backoff.cap.count(), part.wait);
    if (backoff.jitter > 0) {
        const double cut = backoff.jitter * line.core().random();
        wait *= 1 - cut;
    }
    return wait;
}

/// The next wait in whole milliseconds.
std::int64_t nextWait(Line& line, RetryPart& part, const RetryDecision& decision,
                      std::int64_t least) noexcept {
    const double wait = decision.hasWait() ? decision.wait() : backedOff(line, part);
    part.wait *= part.options().backoff.factor;
    const std::int64_t whole = wholeMilliseconds(wait);
    return decision.hasWait() ? whole : std::max(whole, least);
}

/// Everything inside is closed: its place is the next attempt's.
void queueNext(Step& retry, std::int64_t wait) {
    Line& line = *retry.line;
    line.arena.reset(line.core(), retry.mark);
    StepSpec delay{nullptr, nullptr, StepKind::delay};
    delay.count = wait;
    retry.next = &makeStep(line, &retry, delay);
    retry.next->flags |= kHidden;
    partOf<RetryPart>(retry).due = true;
}

/// So many errors make a chain of causes; of more those between the first and the last ones are
/// left out, or an endless retry would fill the memory.
constexpr std::uint32_t kMostFailures = 8;

/// Lets go of the second one of all that are kept.
void omitFailure(RetryPart& part) noexcept {
    ErrorData* at = part.failures;
    while (at->before->before->before != nullptr) at = at->before;
    const ErrorRef gone(at->before);
    at->before = std::exchange(gone->before, nullptr);
    --part.kept;
    ++part.omitted;
}

/// One that has been thrown again takes its own place.
void recordFailure(RetryPart& part, ErrorData& error) noexcept {
    if (isPrepared(error)) return;
    ErrorData* const last = part.failures;
    if (last != nullptr && isAgain(error, *last)) {
        const ErrorRef gone(last);
        replaces(error, *last);
        error.before = std::exchange(last->before, nullptr);
    } else {
        error.before = last;
        ++part.kept;
    }
    part.failures = share(&error).detach();
    if (part.kept > kMostFailures) omitFailure(part);
}

/// Stands for those that are left out.
ErrorRef omission(Step& retry, std::int64_t count) noexcept {
    char info[48];
    std::snprintf(info, sizeof info, "errors left out: %lld", static_cast<long long>(count));
    return raisedBy(retry, errors::Omitted, info);
}

/// Nothing is tried again: each error becomes the cause of the one after it, or stands in its also.
void chainFailures(Step& retry, RetryPart& part) noexcept {
    ErrorRef later(std::exchange(part.failures, nullptr));
    while (later && later->before != nullptr) {
        ErrorRef earlier(std::exchange(later->before, nullptr));
        if (earlier->before == nullptr && part.omitted > 0) {
            const ErrorRef between = omission(retry, part.omitted);
            follows(*between.get(), *earlier.get());
            follows(*later.get(), *between.get());
        } else {
            follows(*later.get(), *earlier.get());
        }
        later = std::move(earlier);
    }
}

/// Whether there is another attempt, or the flow is to be cancelled.
bool goesOn(Line& line, Step& step, ErrorRef& error) noexcept {
    RetryPart& part = partOf<RetryPart>(step);
    if (part.attempts >= part.options().max) return false;
    RetryDecision decision = false;
    const Entered went = askAgain(step, part.options().on, error, decision);
    if (went != Entered::on) return went == Entered::cancelled;
    if (!decision.again()) return false;
    const std::int64_t wait = nextWait(line, part, decision, error->retryAfter);
    const Deadline* const deadline = deadlineOf(line);
    if (deadline != nullptr && wait > line.core().left(*deadline)) return false;
    RetryBudget* const budget = part.options().budget;
    if (budget != nullptr && !isRefusal(*error.get()) && !budget->take()) return false;
    try {
        queueNext(step, wait);
    } catch (...) {
        return false;  // short of memory: the error itself is what counts
    }
    part.over = false;
    step.phase = Phase::inner;
    return true;
}

void destroyRetry(Step& step) noexcept {
    partOf<RetryPart>(step).~RetryPart();
}

Answer openRetry(Line& line, Step& step) noexcept {
    markArena(step);
    if (!line.hasValues()) return Answer::again;
    RetryPart& part = partOf<RetryPart>(step);
    ErrorRef error;
    const Entered went = enter(step, error, [&] {
        part.number = line.values->share(part.definition.numbered);
        part.found = std::move(*line.values);
    });
    if (went == Entered::threw) return unwind(line, std::move(error));
    return went == Entered::on ? Answer::again : Answer::pending;
}

/// It begins, has waited, or an attempt has ended with ok; or steps of the handler have.
Answer nextOfRetry(Line& line, Step& step) noexcept {
    RetryPart& part = partOf<RetryPart>(step);
    if (part.due) return openAttempt(line, step);
    RetryBudget* const budget = part.options().budget;
    if (!part.over && budget != nullptr) budget->putBack();
    return Answer::ended;
}

bool tryAgain(Line& line, Step& step, ErrorRef& error) noexcept {
    RetryPart& part = partOf<RetryPart>(step);
    if (part.over) return false;
    part.over = true;
    recordFailure(part, *error.get());
    if (goesOn(line, step, error)) return true;
    chainFailures(step, part);
    return false;
}

}  // namespace

Entered askAgain(Step& step, const RetryOn& on, ErrorRef& error, RetryDecision& decision) noexcept {
    if (on.isDefault()) {
        decision = !isFinal(error->code);
        return Entered::on;
    }
    ErrorRef raised;
    const Entered went = enter(step, raised, [&] {
        const ImmediateCancelScope aside(step.line->share());
        decision = on.ask(stepErrorOf(*error.get()));
        checkNumber("on", decision.wait(), 0, std::numeric_limits<double>::max());
    });
    if (went == Entered::threw) {
        replaces(*raised.get(), *error.get());
        error = std::move(raised);
    }
    return went;
}

extern constexpr Kind retryKind{.size = sizeof(RetryPart),
                                .takesValues = true,
                                .make = &makePart<RetryPart>,
                                .destroy = &destroyRetry,
                                .open = &openRetry,
                                .next = &nextOfRetry,
                                .failed = &tryAgain,
                                .name = "retry"};

}  // namespace steptree::detail
