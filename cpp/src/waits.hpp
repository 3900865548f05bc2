#pragma once

#include "kind.hpp"

/// For flowlook.cpp and timeout.cpp.
namespace steptree::detail {

/// One that has failed, and an item whose result waits for those before it, are not.
inline bool isOpen(const Branch& branch) noexcept {
    return branch.top != nullptr || branch.first != nullptr;
}
/// The first of the step's branches that have not started, and have no line yet.
Step* unstartedOf(Step& host) noexcept;
/// What the innermost step waits for by what it has in a guard or channel.
Waits waitsOfExtra(Step& step) noexcept;
/// The table, from above. `own` is what the last step that is shown says. Nothing: for the lines
/// inside.
Waits waitsOf(Line& line, const Waits& own) noexcept;

}  // namespace steptree::detail
