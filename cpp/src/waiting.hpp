#pragma once

#include "steptree/snapshot.hpp"
#include "tree.hpp"

/// For timeout.cpp and events.
namespace steptree::detail {

/// A timeout of the step says what the lines inside wait for. Before they are closed.
void noteWaits(Step& step, ErrorData& error) noexcept;
/// What the line waits for, as a snapshot shows it. Throws bad_alloc.
WaitSnapshot waitOf(Line& line);

}  // namespace steptree::detail
