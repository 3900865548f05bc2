#pragma once

#include "lease.hpp"
#include "step.hpp"
#include "steptree/guard.hpp"

/// Sections that a guard lets in.
namespace steptree {

namespace detail {

/// One of the program's own, as the engine sees guards.
struct OwnGuard final : Guard {
    explicit OwnGuard(ISync& guard) noexcept : guard(guard) {}
    bool admit(Line&) noexcept override { return false; }
    void wait(Step& lock) override;
    void leave(Step& section, const Why& why) noexcept override;
    void show(GuardLook&) override {}
    /// The section has closed: its lock can't be lost any more.
    void endLease() noexcept {
        if (lease != nullptr) lease->end();
    }

    ISync& guard;
    LeaseNode* lease = nullptr;
};

/// Behind a sync step.
struct SyncPart {
    SyncPart(const Step&, const StepSpec& spec) noexcept : guard(spec.of.guard) {
        if (spec.ownGuard) guard = ::new (static_cast<void*>(own)) OwnGuard(*spec.of.own);
    }
    /// What is called when it leaves is the program's.
    bool isOwn() const noexcept { return static_cast<const void*>(guard) == own; }

    Guard* guard;
    alignas(OwnGuard) std::byte own[sizeof(OwnGuard)];
    alignas(Step) std::byte lock[sizeof(Step)];  // made when the step opens
};

}  // namespace detail

/// What the engine asks the guard of a section.
struct Guard::Section {
    using Step = detail::Step;
    using SyncPart = detail::SyncPart;

    static bool admit(detail::Line& line, Step& sync) noexcept {
        return detail::partOf<SyncPart>(sync).guard->admit(line);
    }
    // What a guard asks another one.
    static bool admit(Guard& guard, detail::Line& line) noexcept { return guard.admit(line); }
    static void wait(Guard& guard, Step& lock) { guard.wait(lock); }
    static void leave(Guard& guard, Step& section, const detail::Why& why) noexcept {
        guard.leave(section, why);
    }
    static detail::KeptPlace* keep(Guard& guard, detail::Line& line) noexcept {
        return guard.keep(line);
    }

    static bool queue(SyncPart& part, Step& lock) noexcept { return part.guard->queue(lock); }
    static void wait(SyncPart& part, Step& lock) { part.guard->wait(lock); }
    static void leave(Step& sync, const detail::Why& why) noexcept {
        detail::partOf<SyncPart>(sync).guard->leave(sync, why);
    }
    static detail::KeptPlace* keep(Step& sync) noexcept {
        return detail::partOf<SyncPart>(sync).guard->keep(*sync.line);
    }
};

namespace detail {
using Section = Guard::Section;
}

}  // namespace steptree
