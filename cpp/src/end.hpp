#pragma once

#include "steptree/iflow.hpp"
#include "tree.hpp"

namespace steptree {
struct Options;
}

/// How an end is told.
namespace steptree::detail {

struct End;
End& makeEnd(Flow& flow, IFlow::Done done, bool isPromise);
SpareEnd newSpareEnd();
void tellEnd(Flow& flow, OutcomeKind kind, ErrorRef error, Results values) noexcept;
/// Made on another thread than the tool's, they have come there.
void knowEnds(Flow& flow) noexcept;
/// Its tool is gone: nobody is told any more.
void forgetEnds(Flow& flow) noexcept;
/// The flow is gone: what only its owner waits for is dropped.
void dropEnds(Flow& flow) noexcept;
/// Somebody wants to know when nothing of the flow is open any more.
void tellWhenClosed(Flow& flow, IFlow::Done told);
void tellClosed(Flow& flow) noexcept;

}  // namespace steptree::detail
