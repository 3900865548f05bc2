#include "steptree/breaker.hpp"

#include <algorithm>
#include <limits>

#include "enter.hpp"
#include "error.hpp"
#include "misuse.hpp"
#include "onstack.hpp"
#include "report.hpp"
#include "run.hpp"
#include "steptree/detail/checknumber.hpp"
#include "waiters.hpp"

/// Lets nobody in for a while when too much of what it let in has failed. How long and after what
/// is the circuit's business; here stand the lines that are in.
namespace steptree::detail {

namespace {

constexpr std::int64_t kMostCalls = 1'000'000;
constexpr std::int64_t kLongAgo = std::numeric_limits<std::int64_t>::min();

/// Of what may be absent.
std::int64_t checkUpTo(const char* name, std::int64_t value, std::int64_t most) {
    if (value >= 1 && value <= most) return value;
    misuse(std::string(name) + ": expected a whole number from 1 to " + std::to_string(most) +
           ", got " + std::to_string(value));
}

CallWindow windowOf(const BreakerOptions& options) {
    if (!options.period)
        return CallWindow::ofCalls(checkUpTo("calls", options.calls.value_or(20), kMostCalls));
    if (options.calls) misuse("calls: expected no period beside it");
    return CallWindow::ofTime(checkFinite("period", options.period->milliseconds()));
}

Circuit::Settings settingsOf(const BreakerOptions& options) {
    if (!(options.rate > 0 && options.rate <= 1)) {
        misuse("rate: expected a number above 0, at most 1, got " + textOf(options.rate));
    }
    const std::int64_t most = options.period ? kMostCounted : options.calls.value_or(20);
    const std::int64_t minCalls = options.minCalls.value_or(std::min<std::int64_t>(most, 10));
    return {options.rate, checkUpTo("minCalls", minCalls, most),
            checkFinite("openFor", options.openFor.milliseconds()),
            checkFinite("probes", options.probes)};
}

}  // namespace

template <class Lock>
BasicBreaker<Lock>::BasicBreaker(const BreakerOptions& options)
    : circuit_(settingsOf(options), windowOf(options)), on_(options.on), name_(options.name) {}

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
    const std::int64_t now = line.core().clockTime();
    std::int64_t retryAfter = -1;
    {
        const std::lock_guard locked(mutex_);
        if (enter(line, now)) return;
        retryAfter = circuit_.delay(now);
    }
    reject(lock, "breaker", name_, retryAfter, "it is open");
}

/// Under the lock. Throws bad_alloc, and has changed nothing then.
template <class Lock>
bool BasicBreaker<Lock>::enter(Line& line, std::int64_t now) {
    if (Hold* const hold = holds_.find(line)) {
        ++hold->times;
        return true;
    }
    if (!circuit_.admits(now)) return false;
    holds_.add(line);
    holds_.find(line)->places = circuit_.enter();
    ++active_;
    return true;
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
    holds_.remove(*holds_.find(line));
    --active_;
    if (told != Told::nothing && circuit_.counts(phase)) core_ = &core;
    circuit_.left(phase, told, now);
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
