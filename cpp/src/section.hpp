#pragma once

#include "step.hpp"
#include "steptree/guard.hpp"

namespace steptree {

/// What the engine asks the guard of a section.
struct Guard::Section {
    using Step = detail::Step;
    using SyncPart = detail::SyncPart;

    static bool admit(detail::Line& line, Step& sync) noexcept {
        return detail::partOf<SyncPart>(sync).guard->admit(line);
    }
    static bool queue(SyncPart& part, Step& lock) noexcept { return part.guard->queue(lock); }
    static void wait(SyncPart& part, Step& lock) { part.guard->wait(lock); }
    static void leave(Step& sync) noexcept { detail::partOf<SyncPart>(sync).guard->leave(sync); }
    static detail::KeptPlace* keep(Step& sync) noexcept {
        return detail::partOf<SyncPart>(sync).guard->keep(*sync.line);
    }
};

namespace detail {
using Section = Guard::Section;
}

}  // namespace steptree
