#pragma once

#include <memory>

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
/// Takes the values. What can't be told without memory is that.
void fillOutcome(Outcome& outcome, Flow& flow, OutcomeKind kind, const ErrorRef& error,
                 Results& values) noexcept;
/// Made on another thread than the tool's, they have come there.
void knowEnds(Flow& flow) noexcept;
/// Its tool is gone: nobody is told any more.
void forgetEnds(Flow& flow) noexcept;
/// The flow is gone: what only its owner waits for is dropped.
void dropEnds(Flow& flow) noexcept;
struct FreeEnd {
    void operator()(End* end) const noexcept;
};
/// To be told once, by one of these.
using MadeEnd = std::unique_ptr<End, FreeEnd>;
MadeEnd makeTold(ToolCore& core, IFlow::Done told);
/// Somebody wants to know when nothing of the flow is open any more.
void tellWhenClosed(Flow& flow, IFlow::Done told);
/// The same of a flow that runs, or is about to, among others whose ends somebody keeps;
/// flowOfEnd() is the flow of one of those until it is told.
void tellWhenClosed(Flow& flow, MadeEnd told, List<RunNode>& among) noexcept;
Flow& flowOfEnd(RunNode& end) noexcept;
/// Tells it from an immediate of its own.
void tellSoon(MadeEnd told) noexcept;
void tellClosed(Flow& flow) noexcept;

}  // namespace steptree::detail
