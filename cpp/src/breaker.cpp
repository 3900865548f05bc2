#include "steptree/breaker.hpp"

#include <algorithm>
#include <exception>
#include <limits>

#include "enter.hpp"
#include "error.hpp"
#include "guardlook.hpp"
#include "misuse.hpp"
#include "onstack.hpp"
#include "report.hpp"
#include "run.hpp"
#include "steptree/detail/checknumber.hpp"
#include "waiters.hpp"

/// Lets nobody in for a while when too much of what it let in has failed. How long and after what
/// is the circuit's business; here stand the lines that are in, and those that wait. Somebody waits
/// only while it is half-open and has no place for a probe: who leaves, and so changes that, sees
/// to those who wait. A line under a probe is in, but in no phase.
namespace steptree::detail {

namespace {

constexpr std::int64_t kMostCalls = 1'000'000;
constexpr std::int64_t kLongAgo = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kNoPhase = -1;
constexpr const char* kTitle = "breaker";
constexpr const char* kIsOpen = "it is open";
constexpr const char* kIsFull = "it is half-open, its probe still runs, and the queue is full";

/// Of what may be absent.
std::int64_t checkUpTo(const char* name, std::int64_t value, std::int64_t most) {
    if (value >= 1 && value <= most) return value;
    misuse(std::string(name) + ": expected a whole number from 1 to " + std::to_string(most) +
           ", got " + std::to_string(value));
}

CallWindow windowOf(const BreakerOptions& options) {
    if (!options.period)
        return CallWindow::ofCalls(
            checkUpTo("Breaker: calls", options.calls.value_or(20), kMostCalls));
    if (options.calls) misuse("Breaker: calls: expected no period beside it");
    return CallWindow::ofTime(checkFinite("Breaker: period", options.period->milliseconds()));
}

Circuit::Settings settingsOf(const BreakerOptions& options) {
    if (!(options.rate > 0 && options.rate <= 1)) {
        misuse("Breaker: rate: expected a number above 0, at most 1, got " + textOf(options.rate));
    }
    const std::int64_t most = options.period ? kMostCounted : options.calls.value_or(20);
    const std::int64_t minCalls = options.minCalls.value_or(std::min<std::int64_t>(most, 10));
    return {options.rate, checkUpTo("Breaker: minCalls", minCalls, most),
            checkFinite("Breaker: openFor", options.openFor.milliseconds()),
            checkFinite("Breaker: probes", options.probes)};
}

}  // namespace

template <class Lock>
struct BasicBreaker<Lock>::Wait : Waiter {
    Wait(BasicBreaker& breaker, Line& line, Completion completion) noexcept
        : Waiter(line, std::move(completion)), breaker(breaker) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
        if (isShared<Lock> || state == queued) breaker.giveUp(*this, false);
    }
    void leave(Step&) noexcept { breaker.giveUp(*this, true); }

    BasicBreaker& breaker;
};

template <class Lock>
BasicBreaker<Lock>::BasicBreaker(const BreakerOptions& options)
    : circuit_(settingsOf(options), windowOf(options)),
      maxQueue_(checkLimit("Breaker: maxQueue", options.maxQueue, 0)),
      on_(options.on),
      name_(options.name) {}

template <class Lock>
BasicBreaker<Lock>::~BasicBreaker() = default;

template <class Lock>
BreakerState BasicBreaker<Lock>::state() const {
    home_.checkHere("state");
    const ToolCore* core = nullptr;
    {
        const std::lock_guard locked(mutex_);
        core = core_;
    }
    const std::int64_t now = ToolCore::clockTimeOf(core, kLongAgo);
    const std::lock_guard locked(mutex_);
    return circuit_.state(now);
}

template <class Lock>
std::int64_t BasicBreaker<Lock>::active() const {
    home_.checkHere("active");
    const std::lock_guard locked(mutex_);
    return active_;
}

template <class Lock>
std::int64_t BasicBreaker<Lock>::waiting() const {
    home_.checkHere("waiting");
    const std::lock_guard locked(mutex_);
    return waiters_.count();
}

template <class Lock>
void BasicBreaker<Lock>::show(GuardLook& look) {
    if (!look.begins(*this, kTitle, name_)) return;
    const std::lock_guard locked(mutex_);
    look.waiting(waiters_.count());
    look.active(active_);
    look.queue(waiters_);
    look.held(holds_);
}

template <class Lock>
bool BasicBreaker<Lock>::isNew(std::int64_t now) noexcept {
    const std::lock_guard locked(mutex_);
    if (now == kAnyTime || active_ > 0 || !waiters_.empty()) return false;
    return circuit_.isNew(now);
}

template <class Lock>
bool BasicBreaker<Lock>::admit(Line& line) noexcept {
    try {
        if (!home_.takes(line.core())) [[unlikely]]
            return false;
        const std::int64_t now = line.core().clockTime();
        const std::lock_guard locked(mutex_);
        return enter(line, now);
    } catch (...) {
        return false;
    }
}

/// Time may have passed since it wasn't let in, or there was no memory for it.
template <class Lock>
void BasicBreaker<Lock>::wait(Step& lock) {
    Line& line = *lock.line;
    home_.check("sync", line.core());
    std::int64_t retryAfter = -1;
    Entry entry = attempt(line, nullptr, retryAfter);
    if (entry == Entry::wait) {
        const auto begin = [&](Wait& wait) { return attempt(line, &wait, retryAfter); };
        entry = attemptWaiting<Wait>(lock, begin, *this);
    }
    if (entry == Entry::open) reject(lock, kTitle, name_, retryAfter, kIsOpen);
    if (entry == Entry::full) reject(lock, kTitle, name_, -1, kIsFull);
}

/// A `wait` is put into the queue.
template <class Lock>
auto BasicBreaker<Lock>::attempt(Line& line, Wait* wait, std::int64_t& retryAfter) -> Entry {
    const std::int64_t now = line.core().clockTime();
    const std::lock_guard locked(mutex_);
    if (enter(line, now)) return Entry::in;
    retryAfter = circuit_.delay(now);
    if (retryAfter >= 0) return Entry::open;
    if (waiters_.count() >= maxQueue_) return Entry::full;
    if (wait != nullptr) {
        holds_.reserve(static_cast<std::size_t>(waiters_.count()) + 1);
        waiters_.push(*wait);
    }
    return Entry::wait;
}

/// Under the lock. Throws bad_alloc, and has changed nothing then.
template <class Lock>
bool BasicBreaker<Lock>::enter(Line& line, std::int64_t now) {
    if (Hold* const hold = holds_.find(line)) {
        ++hold->times;
        return true;
    }
    if (circuit_.state(now) == BreakerState::halfOpen && isUnderProbe(line)) {
        // Room stays for those who wait: see grant().
        holds_.reserve(static_cast<std::size_t>(waiters_.count()) + 1);
        holds_.add(line, kNoPhase);
        ++active_;
        return true;
    }
    if (!circuit_.admits()) return false;
    holds_.add(line);
    holds_.find(line)->places = circuit_.enter();
    ++active_;
    return true;
}

/// Half-open: what a probe fans out is part of it.
template <class Lock>
bool BasicBreaker<Lock>::isUnderProbe(Line& line) noexcept {
    for (Line* outer = lineAround(line); outer != nullptr; outer = lineAround(*outer)) {
        const Hold* const hold = holds_.find(*outer);
        if (hold != nullptr && circuit_.counts(hold->places)) return true;
    }
    return false;
}

/// The line's outermost section is a call, if it tells anything.
template <class Lock>
void BasicBreaker<Lock>::leave(Step& section, const Why& why) noexcept {
    Line& line = *section.line;
    std::int64_t phase = 0;
    bool counts = false;
    {
        const std::lock_guard locked(mutex_);
        Hold& hold = *holds_.find(line);
        if (hold.times > 1) {
            --hold.times;
            return;
        }
        phase = hold.places;
        counts = circuit_.counts(phase);
    }
    if (!counts || why.how == Why::silent || why.how == Why::cancelled)
        return leave(line, phase, Told::nothing);
    if (why.how != Why::failed) return leave(line, phase, Told::ok);
    if (on_.isDefault()) return leave(line, phase, Told::failed);
    leaveAsking(section, *why.error, phase);
}

template <class Lock>
void BasicBreaker<Lock>::leaveAsking(Step& section, ErrorData& error, std::int64_t phase) noexcept {
    const ClosingScope closing(*section.line->flow);
    const bool failed = isFailure(section, error);
    leave(*section.line, phase, failed ? Told::failed : Told::ok);
    ClosingScope::noteOutlived(*section.line);
}

template <class Lock>
void BasicBreaker<Lock>::leave(Line& line, std::int64_t phase, Told told) noexcept {
    ToolCore& core = line.core();
    const std::int64_t now = told == Told::nothing ? 0 : core.clockTime();  // it may be gone
    const std::lock_guard locked(mutex_);
    if (told != Told::nothing && circuit_.counts(phase)) core_ = &core;
    release(*holds_.find(line), told, now);
}

/// Under the lock. What tells nothing needs no time.
template <class Lock>
void BasicBreaker<Lock>::release(Hold& hold, Told told, std::int64_t now) noexcept {
    const std::int64_t phase = hold.places;
    holds_.remove(hold);
    --active_;
    circuit_.left(phase, told, now);
    if (waiters_.empty()) return;
    const std::int64_t retryAfter = circuit_.delay(now);
    if (retryAfter < 0) return grant();
    refuseAll(retryAfter);
}

/// There is room for those who wait: see attempt().
template <class Lock>
void BasicBreaker<Lock>::grant() noexcept {
    while (auto* const wait = static_cast<Wait*>(waiters_.front())) {
        if (wait->completion.valid() && !circuit_.admits()) return;
        waiters_.remove(*wait);
        if (!wait->completion.success()) continue;
        wait->state = Waiter::granted;
        holds_.add(*wait->line, circuit_.enter());
        ++active_;
    }
}

template <class Lock>
void BasicBreaker<Lock>::refuseAll(std::int64_t retryAfter) noexcept {
    while (Waiter* const waiter = waiters_.front()) {
        waiters_.remove(*waiter);
        // One for each, as of a channel that closes.
        refuse(*waiter, refusal(kTitle, name_, retryAfter, kIsOpen));
    }
}

/// The step of the waiter has closed; or was cancelled, perhaps after a grant while its body ran.
template <class Lock>
void BasicBreaker<Lock>::giveUp(Wait& wait, bool abandons) noexcept {
    const std::lock_guard locked(mutex_);
    if (wait.state == Waiter::queued) {
        waiters_.remove(wait);
    } else if (abandons && wait.state == Waiter::granted) {
        wait.state = Waiter::over;
        if (Hold* const hold = holds_.find(*wait.line)) release(*hold, Told::nothing, 0);
    }
}

template <class Lock>
bool BasicBreaker<Lock>::isFailure(Step& section, ErrorData& error) noexcept {
    bool failed = true;
    section.phase = Phase::cancel;
    const ErrorRef raised =
        enterForGood(section, [&] { failed = on_.ask(stepErrorOf(error)); });  // it is closed
    section.phase = Phase::closed;
    if (raised) report(*section.line->flow, raised);
    return failed;
}

template class BasicBreaker<NoMutex>;
template class BasicBreaker<std::mutex>;

}  // namespace steptree::detail
