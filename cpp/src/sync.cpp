#include "extras.hpp"
#include "level.hpp"
#include "steptree/isync.hpp"

/// A guarded section: takes its lock as an inner step, runs its body, and owes an unlock.
///
///     lock step -> body -> unlock
///
/// kLocking: the body has not begun. kOwed stands from the opening on; a closing that leaves the
/// lock step takes it away, unless that has ended well already. So whoever pops the section, for
/// whatever reason, knows what is owed.
namespace steptree::detail {

namespace {

void callLock(IAsyncSteps& asi, void* part, CallArgs&) noexcept {
    guarded(asi, [&] { static_cast<SyncPart*>(part)->guard->lock(asi); });
}

constexpr ClosureOps kLock{0, 0, false, nullptr, nullptr, &callLock, 0};

/// Null, or why there is no place for them.
ErrorRef keepForBody(Step& sync, Results& values) noexcept {
    try {
        auto& kept = newExtra<ValuesExtra>(sync, Extra::values);
        kept.values = std::move(values);
        link(sync, kept);
        return {};
    } catch (...) {
        return toRecord(std::current_exception(), sync);
    }
}

/// The lock is taken, and the budget not spent.
inline bool runBody(Line& line, Step& sync, Budget& budget) noexcept {
    line.clearValues();
    if (cancelled(line)) return false;
    budget.spend();
    sync.flags &= static_cast<std::uint16_t>(~kLocking);
    sync.phase = Phase::body;
    line.marks = 0;
    CallArgs args;
    if (Extra* kept = findExtra(sync, Extra::values)) {
        args.values = &static_cast<ValuesExtra*>(kept)->values;
    }
    sync.ops->call(sync, closureOf(sync), args);
    return leaveBody(line, sync) != Level::over;
}

}  // namespace

bool openSync(Line& line, Step*& level, Budget& budget) noexcept {
    if (budget.spent()) {
        line.core().enqueue(line);
        return false;
    }
    Step& sync = *level;
    openNext(line, level, sync);
    sync.phase = Phase::inner;
    if (line.hasValues()) {
        if (ErrorRef failed = keepForBody(sync, *line.values)) {
            sync.flags |= kHandlerGone;
            return goOn(line, unwind(line, std::move(failed)));
        }
    }
    SyncPart& part = partOf<SyncPart>(sync);
    Step& lock = *::new (part.lock) Step(StepKind::lock, &kLock, line, &sync);
    markArena(sync);
    sync.flags |= kLocking | kOwed;
    line.top = &lock;
    lock.phase = Phase::body;
    line.marks = 0;
    CallArgs args;
    kLock.call(lock, &part, args);
    const Level left = leaveBody(line, lock);
    if (left != Level::through) return left == Level::look;
    return runBody(line, sync, budget);
}

bool enterSync(Line& line, Step& sync, Budget& budget) noexcept {
    if (budget.spent()) {
        line.core().enqueue(line);
        return false;
    }
    return runBody(line, sync, budget);
}

void leaveLock(Line& line, Step& lock) noexcept {
    Step& sync = *lock.parent;
    sync.flags |= kHandlerGone;
    bool granted = false;
    if (lock.phase == Phase::claimed) {
        granted = findExtra(lock, Extra::await) != nullptr ? awaitedOk(lock)
                                                           : (line.marks & kLatched) == kSuccess;
    } else if (lock.phase == Phase::waiting && claimedAwayOk(line)) {
        granted = true;
        if (Extra* cancel = findExtra(lock, Extra::cancel)) cancel->forgotten = true;
    }
    if (!granted) sync.flags &= static_cast<std::uint16_t>(~kOwed);
}

void refuseLock(Step& lock) noexcept {
    lock.parent->flags |= kHandlerGone;
    lock.parent->flags &= static_cast<std::uint16_t>(~kOwed);
}

void payOwed(Step& step) noexcept {
    const Closing closing(*step.line->flow);
    try {
        partOf<SyncPart>(step).guard->unlock(step);
    } catch (...) {
        report(*step.line->flow, std::current_exception(), step);
    }
}

}  // namespace steptree::detail
