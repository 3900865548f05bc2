#pragma once

#include <memory>

#include "steptree/detail/startowned.hpp"
#include "tree.hpp"

namespace steptree::detail {

struct DestroyFlow {
    void operator()(Flow* flow) const noexcept;
};
using OwnedFlow = std::unique_ptr<Flow, DestroyFlow>;

/// A flow that runs the step, on whatever thread; not started yet.
OwnedFlow makeOwned(ToolCore& core, const Definition& step, StartOptions& options);
/// Starts it, and leaves it to its tool; a call that throws leaves it to its owner. On the tool's
/// thread it stays till the caller's OnStack goes, even if it has ended by then; on another one it
/// is the tool's from here on.
void release(OwnedFlow& owned, StartOptions& options);

}  // namespace steptree::detail
