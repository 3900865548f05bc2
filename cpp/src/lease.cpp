
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
    const LeaseNode& lease = *static_cast<LeaseNode*>(node);
    Step& section = *lease.section;
    const bool ends = (section.flags & kShelters) != 0 || endsAnyway(section);
    if (ends) return;
    if ((section.flags & kLocking) != 0) section.flags |= kHandlerGone;  // its body hasn't begun
    if (lease.name == nullptr) return failInTime(section, errors::LeaseLost);
    failInTime(section, errors::LeaseLost, lease.kind, *lease.name, lease.why);
}

Step& sectionOf(IAsyncSteps& asi) {
    auto& lock = static_cast<Step&>(asi);
    if (lock.kind != StepKind::lock || !partOf<SyncPart>(*lock.parent).isOwn())
        misuse("Lease: expected the accessor of a lock");
    return *lock.parent;
}

std::unique_ptr<LeaseNode> leaseOf(Step& section) {
    auto made = std::make_unique<LeaseNode>(section);
    LeaseNode*& known = static_cast<OwnGuard*>(partOf<SyncPart>(section).guard)->lease;
    if (known != nullptr) misuse("Lease: the lock has one already");
    known = made.get();
    made->from = &known;
    return made;
}

}  // namespace

LeaseNode::LeaseNode(Step& of) noexcept : section(&of) {
    fire = &fireLease;
}

void LeaseNode::end() noexcept {
    if (section == nullptr) return;
    section->line->core().disarm(*this);
    if (from != nullptr) *from = nullptr;
    section = nullptr;
}

void LeaseNode::lose(std::int64_t ms) noexcept {
    if (section == nullptr) return;
    ToolCore& core = section->line->core();
    core.disarm(*this);
    if (ms != kForever) core.armNew(*this, ms);
}

}  // namespace detail

Lease::Lease() noexcept = default;
Lease::Lease(IAsyncSteps& asi) : node_(detail::leaseOf(detail::sectionOf(asi))) {}
Lease::Lease(Lease&&) noexcept = default;
Lease& Lease::operator=(Lease&&) noexcept = default;
Lease::~Lease() = default;

void Lease::loseIn(std::int64_t ms) {
    if (node_ != nullptr) node_->lose(ms);
}

}  // namespace steptree
