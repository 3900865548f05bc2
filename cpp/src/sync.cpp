#include "awaited.hpp"
#include "budget.hpp"
#include "completion.hpp"
#include "enter.hpp"
#include "extras.hpp"
#include "fast.hpp"
#include "foreign.hpp"
#include "frame.hpp"
#include "latch.hpp"
#include "level.hpp"
#include "report.hpp"
#include "run.hpp"
#include "scope.hpp"
#include "section.hpp"
#include "steptree/isync.hpp"
#include "unwind.hpp"

/// A guarded section: takes its lock, runs its body, and owes an unlock. A guard of the library
/// that is free lets it in at once; else lock() is the body of an inner step.
///
///     (lock step ->) body -> unlock
///
/// kLocking: the lock step has begun, the body has not. kOwed stands from then on; a closing that
/// leaves the lock step takes it away, unless that has ended well already. So whoever pops the
/// section, for whatever reason, knows what is owed.
namespace steptree::detail {

void OwnGuard::wait(Step& lock) {
    guard.lock(lock);
}

void OwnGuard::leave(Step& section) noexcept {
    const ClosingScope closing(*section.line->flow);
    const ErrorRef error =
        enterForGood(section, [&] { guard.unlock(section); });  // it is closed anyhow
    if (error) report(*section.line->flow, error);
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
    Section::leave(sync);
    sync.phase = Phase::closed;
    line.top = sync.parent;
    line.arena.reset(line.core(), sync.mark);
    return true;
}

/// The lock is taken, and the budget not spent.
[[gnu::always_inline]] inline bool runSection(Line& line, Step& sync, Budget& budget,
                                              Results* values) noexcept {
    budget.spend();
    enterBody(line, sync, &partOf<SyncPart>(sync) + 1, values);
    if (isOver(*line.flow, line, sync)) [[unlikely]]
        return false;
    if (kBareSection && leaveBare(line, sync)) [[likely]]
        return true;
    return leaveBody(line, sync) != Level::over;
}

/// The lock step has ended with ok.
bool runLocked(Line& line, Step& sync, Budget& budget) noexcept {
    if (dropValues(line) != Entered::on) return false;
    sync.flags &= static_cast<std::uint16_t>(~kLocking);
    auto* const kept = static_cast<ValuesExtra*>(findExtra(sync, Extra::values));
    return runSection(line, sync, budget, kept != nullptr ? &kept->values : nullptr);
}

[[gnu::noinline]] bool takeLock(Line& line, Step& sync, Budget& budget) noexcept {
    if (line.hasValues()) {
        if (ErrorRef failed = keepForBody(sync, *line.values)) {
            sync.flags |= kHandlerGone;
            return goOn(line, unwind(line, std::move(failed)));
        }
    }
    SyncPart& part = partOf<SyncPart>(sync);
    Step& lock = *::new (part.lock) Step(StepKind::lock, &kLock, line, &sync);
    sync.flags |= kLocking | kOwed;
    line.top = &lock;
    lock.phase = Phase::body;
    if (kQuietWait && Section::queue(part, lock)) {
        lock.phase = Phase::waiting;
        return false;
    }
    clearMarks(line);  // of what had no place
    enterBody(line, lock, &part, nullptr);
    const Level left = leaveBody(line, lock);
    return left == Level::through ? runLocked(line, sync, budget) : left != Level::over;
}

void makeSync(Step& step, const StepSpec& spec) noexcept {
    ::new (&step + 1) SyncPart(spec);
}

bool openSync(Line& line, Step*& level, Budget& budget) noexcept {
    if (isPutBack(line, budget)) return false;
    Step& sync = *level;
    openNext(line, level, sync);
    sync.phase = Phase::inner;
    markArena(sync);
    if (line.values != nullptr && !sync.ops->wantsValues) [[unlikely]] {
        if (dropValues(line) != Entered::on) return false;
    }
    if (!kFreeGuard || !Section::admit(line, sync)) return takeLock(line, sync, budget);
    sync.flags |= kOwed;
    return runSection(line, sync, budget, line.values);
}

/// Its lock is taken, or its body's steps have run.
bool nextOfSync(Line& line, Step& sync, Budget& budget) noexcept {
    if ((sync.flags & kLocking) == 0) {
        close(line, sync);
        return true;
    }
    if (isPutBack(line, budget)) return false;
    return runLocked(line, sync, budget);
}

/// A closing reaches the lock step: whether the lock is owed to its guard shows now.
void leaveLock(Line& line, Step& lock) noexcept {
    Step& sync = *lock.parent;
    sync.flags |= kHandlerGone;
    bool granted = false;
    if (lock.phase == Phase::claimed) {
        granted = findExtra(lock, Extra::await) != nullptr ? awaitedOk(lock)
                                                           : (line.marks & kLatched) == kSuccess;
    } else if (lock.phase == Phase::waiting && claimedRemotelyOk(line)) {
        granted = true;
        forgetUndo(lock);
    }
    if (!granted) sync.flags &= static_cast<std::uint16_t>(~kOwed);
}

/// It is owed from the moment on in which the lock is taken.
KeptPlace* keepSection(Step& sync) {
    return (sync.flags & (kLocking | kOwed)) == kOwed ? Section::keep(sync) : nullptr;
}

/// The lock was taken, but is not the section's.
void refuseLock(Step& lock) noexcept {
    lock.parent->flags |= kHandlerGone;
    lock.parent->flags &= static_cast<std::uint16_t>(~kOwed);
}

}  // namespace

extern constexpr Kind syncKind{.size = sizeof(SyncPart),
                               .make = &makeSync,
                               .open = &openSync,
                               .next = &nextOfSync,
                               .closed = &Section::leave,
                               .keep = &keepSection};
extern constexpr Kind lockKind{
    .element = PathElement::none, .isPrompt = true, .exit = &leaveLock, .spoiled = &refuseLock};

}  // namespace steptree::detail
