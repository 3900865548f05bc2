#include "steptree/retry.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "adder.hpp"
#include "enter.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "foreign.hpp"
#include "frame.hpp"
#include "misuse.hpp"
#include "ontool.hpp"
#include "scope.hpp"
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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// As JavaScript writes it, but for what is no number: 20000, 0.5, 1e+300.
std::string textOf(double number) {
    if (std::floor(number) == number && std::abs(number) < 1e15) {
        return std::to_string(static_cast<std::int64_t>(number));
    }
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

/// Behind a retry step.
struct RetryPart {
    RetryPart(Step& step, const StepSpec& spec) noexcept
        : options(std::move(*spec.of.retry)), wait(options.backoff.base.count()) {
        step.flags |= kOwns;
    }

    RetryPart(const RetryPart&) = delete;
    RetryPart& operator=(const RetryPart&) = delete;
    ~RetryPart() { dropFailures(failures); }

    RetryOptions options;
    double wait;                    // the next one, before cap and jitter
    std::int64_t attempts = 0;      // that have begun
    std::int64_t omitted = 0;       // errors between the first and the others of `failures`
    ErrorData* failures = nullptr;  // of attempts: one reference each, the last one first
    std::uint32_t kept = 0;         // so many they are
    bool over = false;              // there is no further attempt
};

static_assert(sizeof(RetryPart) + 2 * sizeof(Step) + rounded(sizeof(TimerExtra)) <=
              NitroSizes::retry);

void checkRetry(const Line&, const StepSpec& spec) {
    const RetryOptions& options = *spec.of.retry;
    constexpr double most = std::numeric_limits<double>::max();
    if (options.on.hasEmpty()) misuse("on: expected codes or a function, got ''");
    checkNumber("max", options.max);
    checkNumber("factor", options.backoff.factor, 1, most);
    checkNumber("cap", options.backoff.cap.count(), 0, kInfinity);
    checkNumber("jitter", options.backoff.jitter, 0, 1);
    checkNumber("base", options.backoff.base.count(), 0, most);
}

/// Its number is what the body is given. What a handler adds later counts from 0.
Step& newAttempt(Step& retry) {
    return newRound(retry, static_cast<std::uint32_t>(partOf<RetryPart>(retry).attempts++));
}

double backedOff(Line& line, const RetryPart& part) noexcept {
    const Backoff& backoff = part.options.backoff;
    double wait = std::min(backoff.cap.count(), part.wait);
    if (backoff.jitter > 0) {
        const double cut = backoff.jitter * line.core().random();
        wait *= 1 - cut;
    }
    return wait;
}

/// The next wait in whole milliseconds.
std::int64_t nextWait(Line& line, RetryPart& part, const RetryDecision& decision) noexcept {
    const double wait = decision.hasWait() ? decision.wait() : backedOff(line, part);
    part.wait *= part.options.backoff.factor;
    return wholeMilliseconds(wait);
}

/// Everything inside is closed: its place is the next attempt's.
void queueNext(Step& retry, std::int64_t wait) {
    Line& line = *retry.line;
    line.arena.reset(line.core(), retry.mark);
    void* const place = line.arena.allocate(line, sizeof(Step));
    Step& delay = *::new (place) Step(StepKind::delay, nullptr, line, &retry);
    delay.turn = wait;
    delay.next = &newAttempt(retry);
    retry.next = &delay;
}

/// What its code for that throws takes the error's place.
Entered ask(Step& step, ErrorRef& error, RetryDecision& decision) noexcept {
    const RetryOn& on = partOf<RetryPart>(step).options.on;
    if (on.isDefault()) {
        decision = error->code != errors::InternalError;
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
    if (part.attempts >= part.options.max) return false;
    RetryDecision decision = false;
    const Entered went = ask(step, error, decision);
    if (went != Entered::on) return went == Entered::cancelled;
    if (!decision.again()) return false;
    const std::int64_t wait = nextWait(line, part, decision);
    const Deadline* const deadline = deadlineOf(line);
    if (deadline != nullptr && wait > line.core().left(*deadline)) return false;
    RetryBudget* const budget = part.options.budget;
    if (budget != nullptr && !budget->take()) return false;
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
    try {
        markArena(step);
        step.next = &newAttempt(step);
        return Answer::again;
    } catch (...) {
        return unwind(line, toRecord(std::current_exception(), step));
    }
}

Answer endRetry(Line&, Step& step) noexcept {
    RetryPart& part = partOf<RetryPart>(step);
    if (!part.over && part.options.budget != nullptr) part.options.budget->putBack();
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

void checkNumber(const char* name, std::int64_t given) {
    if (given >= 1) return;
    misuse(name + (": expected a count of 1 or more, got " + std::to_string(given)));
}

void checkNumber(const char* name, double given, double least, double most) {
    if (given >= least && given <= most) return;
    misuse(name + (": expected a number from " + textOf(least) + " to " + textOf(most) + ", got " +
                   textOf(given)));
}

extern constexpr Kind retryKind{.size = sizeof(RetryPart),
                                .check = &checkRetry,
                                .make = &makePart<RetryPart>,
                                .destroy = &destroyRetry,
                                .open = &openRetry,
                                .next = &endRetry,
                                .failed = &tryAgain};

}  // namespace steptree::detail
