#pragma once

#include "kind.hpp"

/// For flowlook.cpp, waiting.cpp and lane.cpp.
namespace steptree::detail {

/// One that has failed, and an item whose result waits for those before it, are not.
inline bool isOpen(const Branch& branch) noexcept {
    return branch.top != nullptr || branch.first != nullptr || branch.queued();
}
/// The first of the step's branches that have not started, and have no line yet.
Step* unstartedOf(Step& host) noexcept;
/// What the innermost step waits for by what it has in a guard or channel.
Waits waitsOfExtra(Step& step) noexcept;
/// The table, from above. `own` is what the last step that is shown says. Nothing: for the lines
/// inside.
Waits waitsOf(Line& line, const Waits& own) noexcept;
/// The same, whose steps nobody has looked at: those up to `last` are, behind which none waits;
/// null: all of them.
Waits waitsUpTo(Line& line, const Step* last) noexcept;
/// As snapshots say it.
const char* wordOf(Waits::For what) noexcept;

// ---- what of a step is shown
/// The call that makes it; null: it's a part of the step around it.
const char* callOf(Step& step) noexcept;
/// Else it's a part of the one around it that has.
bool hasElement(Step& step) noexcept;
/// Of a step and what is inside of it, which is a part of it: just a `step` is what it's around.
/// Null: there is none.
const char* callWith(const char* around, const char* inside) noexcept;

}  // namespace steptree::detail
