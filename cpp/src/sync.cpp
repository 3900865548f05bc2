#include "adder.hpp"
#include "awaited.hpp"
#include "completion.hpp"
#include "extras.hpp"
#include "foreign.hpp"
#include "latch.hpp"
#include "onstack.hpp"
#include "outcome.hpp"
#include "report.hpp"
#include "run.hpp"
#include "section.hpp"
#include "steptree/isync.hpp"
#include "unwind.hpp"

/// A guarded section: takes its lock, runs its body, and owes an unlock. A guard of the library
/// that is free lets it in at once; else lock() is the body of an inner step.
///
///     (lock step ->) body -> unlock
///
/// kLocking: the lock step has begun, the body has not. kOwed stands from then on; a closing that
/// leaves the lock step adds kNeverLocked, unless that has ended well already. So whoever pops the
/// section, for whatever reason, knows what is owed.
namespace steptree::detail {

void OwnGuard::wait(Step& lock) {
    guard.lock(lock);
}

void OwnGuard::leave(Step& section, const Why& why) noexcept {
    Flow& flow = *section.line->flow;
    const ClosingScope closing(flow);
    Outcome outcome;
    Results* const lent = tellOutcome(outcome, flow, why, section.line->values);
    section.phase = Phase::cancel;
    const ErrorRef error =
        enterForGood(section, [&] { guard.unlock(section, outcome); });  // it is closed anyhow
    section.phase = Phase::closed;
    if (lent != nullptr) *lent = std::move(outcome.values);
    if (error) report(flow, error);
    endLease();
    ClosingScope::noteOutlived(*section.line);
}

namespace {

void callLock(IAsyncSteps& asi, void* part, CallArgs&) noexcept {
    guarded(asi, [&] { Section::wait(*static_cast<SyncPart*>(part), static_cast<Step&>(asi)); });
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

/// Leaves a section whose body has left nothing but an ok, and which owns nothing but its lock.
/// False: it may have more, or its guard is the user's.
inline bool leaveBare(Line& line, Step& sync) noexcept {
    constexpr std::uint16_t bare = kOwed | kMarked | kHandler;
    if (line.marks > kSuccess || sync.next != nullptr || sync.extras != nullptr) return false;
    if ((sync.flags & ~bare) != 0 || partOf<SyncPart>(sync).isOwn()) return false;
    Section::leave(sync, kClosedOk);
    sync.phase = Phase::closed;
    line.top = sync.parent;
    line.arena.reset(line.core(), sync.mark);
    return true;
}

/// The lock is taken, and the budget not spent.
[[gnu::always_inline]] inline Answer runSection(Line& line, Step& sync, Budget& budget) noexcept {
    budget.spend();
    giveBody(line, sync);
    enterBody(sync, &partOf<SyncPart>(sync) + 1, line.values);
    if (isOver(*line.flow, line, sync)) [[unlikely]]
        return Answer::pending;
    if (leaveBare(line, sync)) [[likely]]
        return Answer::again;
    return leaveBody(line, sync) == Answer::pending ? Answer::pending : Answer::again;
}

/// A step value stands in the place of the body.
[[gnu::noinline]] Answer runInside(Line& line, Step& sync) noexcept {
    sync.phase = Phase::inner;
    return openPart(line, sync, definitionAt(&partOf<SyncPart>(sync) + 1), kHidden);
}

[[gnu::noinline]] Answer takeLock(Line& line, Step& sync) noexcept {
    if (line.hasValues()) {
        if (ErrorRef failed = keepForBody(sync, *line.values)) {
            sync.flags |= kHandlerGone;
            return unwind(line, std::move(failed));
        }
    }
    SyncPart& part = partOf<SyncPart>(sync);
    Step& lock = *::new (part.lock) Step(StepKind::lock, &kLock, line, &sync);
    lock.flags |= kHidden;
    sync.flags |= kLocking | kOwed;
    line.top = &lock;
    if (kQuietWait && Section::queue(part, lock)) {
        lock.phase = Phase::waiting;
        return Answer::pending;
    }
    clearMarks(line);              // of what had no place
    giveBody(line, lock, kTaken);  // it doesn't wait for timers that are due
    enterBody(lock, &part, nullptr);
    return leaveBody(line, lock) == Answer::pending ? Answer::pending : Answer::again;
}

template <bool observed>
Answer openSync(Line& line, Step& sync) noexcept {
    markArena(sync);
    if (!kFreeGuard || !Section::admit(line, sync)) return takeLock(line, sync);
    sync.flags |= kOwed;
    if (sync.ops->call == nullptr) [[unlikely]]
        return runInside(line, sync);
    if (kBareSection && !observed)
        return runSection(line, sync, budgetOf(line));  // without a way around: the row lock
    giveBody(line, sync);
    return Answer::ready;
}

/// The lock step has ended with ok.
[[gnu::always_inline]] inline Step& roundOfSync(Line& line, Step& sync) noexcept {
    sync.flags &= static_cast<std::uint16_t>(~kLocking);
    if (auto* const kept = static_cast<ValuesExtra*>(findExtra(sync, Extra::values)))
        *line.values = std::move(kept->values);  // they have come from there
    giveBody(line, sync);
    return sync;
}

/// Its lock is taken, or its body's steps have run.
template <bool observed>
Answer nextOfSync(Line& line, Step& sync) noexcept {
    if ((sync.flags & kLocking) == 0) return Answer::ended;
    if (forgetValues(line) != Entered::on) return Answer::pending;
    if (sync.ops->call == nullptr) [[unlikely]]
        return runInside(line, roundOfSync(line, sync));
    if (!kBareSection || observed) return Answer::ready;
    Budget& budget = budgetOf(line);
    if (isPutBack(line, budget)) return Answer::pending;
    return runSection(line, roundOfSync(line, sync), budget);
}

/// A closing reaches the lock step, or what it has deferred fails: whether the lock is owed to its
/// guard shows now.
void leaveLock(Line& line, Step& lock) noexcept {
    Step& sync = *lock.parent;
    sync.flags |= kHandlerGone;
    bool granted = false;
    if ((lock.flags & kShelters) != 0) {
        // what it has deferred has failed
    } else if (lock.phase == Phase::claimed) {
        granted = findExtra(lock, Extra::await) != nullptr ? awaitedOk(lock)
                                                           : (line.marks & kLatched) == kSuccess;
    } else if (lock.phase == Phase::waiting && claimedRemotelyOk(line)) {
        granted = true;
        forgetUndo(lock);
    }
    if (!granted) sync.flags |= kNeverLocked;
}

void leaveSection(Step& sync, const Why& why) noexcept {
    if ((sync.flags & kNeverLocked) == 0) return Section::leave(sync, why);
    const SyncPart& part = partOf<SyncPart>(sync);
    if (part.isOwn()) static_cast<OwnGuard*>(part.guard)->endLease();
}

/// It is owed from the moment on in which the lock is taken.
KeptPlace* keepSection(Step& sync) {
    return (sync.flags & (kLocking | kOwed)) == kOwed ? Section::keep(sync) : nullptr;
}

WaitedFor* guardOfSync(Step& sync) noexcept {
    const SyncPart& part = partOf<SyncPart>(sync);
    return part.isOwn() ? nullptr : part.guard;
}

/// For its lock, whatever that is made of.
Waits waitsOfSync(Step& sync) noexcept {
    if ((sync.flags & kLocking) == 0) return {};
    return {.what = Waits::guard, .on = guardOfSync(sync)};
}

}  // namespace

extern constexpr Kind syncKind{.size = sizeof(SyncPart),
                               .isFree = false,
                               .make = &makePart<SyncPart>,
                               .open = &openSync<false>,
                               .next = &nextOfSync<false>,
                               .openObserved = &openSync<true>,
                               .nextObserved = &nextOfSync<true>,
                               .round = &roundOfSync,
                               .closed = &leaveSection,
                               .keep = &keepSection,
                               .name = "sync",
                               .waits = &waitsOfSync,
                               .guardOf = &guardOfSync};
extern constexpr Kind lockKind{
    .dropsValue = true, .exit = &leaveLock, .isHidden = true, .name = nullptr};

}  // namespace steptree::detail
