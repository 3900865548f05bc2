
#include "lease.hpp"

#include "branches.hpp"
#include "closing.hpp"
#include "misuse.hpp"
#include "section.hpp"
#include "shelter.hpp"
#include "steptree/lease.hpp"
#include "timer.hpp"

/// Leases: locks that may be lost.
namespace steptree {

namespace detail {

namespace {

/// A closing that waits for something inside of the section arrives there, or further in. Else it
/// ends the section anyway.
bool arrivesInside(Step& section, Step* stop) noexcept {
    Step* frame = stop != nullptr ? section.line->top : nullptr;
    while (frame != stop && frame != &section) frame = frame->parent;
    return stop != nullptr && frame == stop;
}

/// Of those that wait the outermost on its line is the widest.
bool endsAnyway(Step& section) noexcept {
    Line& line = *section.line;
    if (const Shelter* const shelter = shelterInside(line, &section))
        return shelter->noted && !arrivesInside(section, shelter->stop);
    Step& top = *line.top;
    return hasNote(top) && !arrivesInside(section, branchesOf(top).note.stop());
}

void fireLease(TimerNode* node) noexcept {
    Step& section = *static_cast<LeaseNode*>(node)->section;
    const bool ends = (section.flags & kShelters) != 0 || endsAnyway(section);
    if (ends) return;
    if ((section.flags & kLocking) != 0) section.flags |= kHandlerGone;  // its body hasn't begun
    failInTime(section, errors::LeaseLost);
}

Step& sectionOf(IAsyncSteps& asi) {
    auto& lock = static_cast<Step&>(asi);
    if (lock.kind != StepKind::lock || !partOf<SyncPart>(*lock.parent).isOwn())
        misuse("Lease: expected the accessor of a lock");
    return *lock.parent;
}

LeaseNode*& leaseOf(Step& section) noexcept {
    return static_cast<OwnGuard*>(partOf<SyncPart>(section).guard)->lease;
}

}  // namespace

LeaseNode::LeaseNode(Step& of) : section(&of) {
    fire = &fireLease;
    LeaseNode*& lease = leaseOf(of);
    if (lease != nullptr) misuse("Lease: the lock has one already");
    lease = this;
}

void LeaseNode::end() noexcept {
    if (section == nullptr) return;
    section->line->core().disarm(*this);
    leaseOf(*section) = nullptr;
    section = nullptr;
}

}  // namespace detail

Lease::Lease() noexcept = default;
Lease::Lease(IAsyncSteps& asi)
    : node_(std::make_unique<detail::LeaseNode>(detail::sectionOf(asi))) {}
Lease::Lease(Lease&&) noexcept = default;
Lease& Lease::operator=(Lease&&) noexcept = default;
Lease::~Lease() = default;

void Lease::loseIn(std::int64_t ms) {
    if (node_ == nullptr || node_->section == nullptr) return;
    detail::ToolCore& core = node_->section->line->core();
    core.disarm(*node_);
    if (ms != detail::kForever) core.armNew(*node_, ms);
}

}  // namespace steptree
