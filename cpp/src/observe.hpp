#pragma once

#include "kind.hpp"
#include "onstack.hpp"
#include "steptree/outcome.hpp"
#include "tree.hpp"

/// What the engine tells those who observe the flows of a tool.
namespace steptree::detail {

inline bool isObserved(const Flow& flow) noexcept {
    return (flow.bits & kObserved) != 0;
}

/// Whether somebody knows that the step was opened.
inline bool isTold(const Step& step) noexcept {
    return (step.flags & kShown) != 0 && isObserved(*step.line->flow);
}

// ---- of an observed flow
/// Tells what is open and isn't told yet, from the outermost on.
void tellOpen(Step& innermost) noexcept;
/// The body of the line's top is to be called. That it has returned is told by endsTurn().
void tellBody(Line& line, Step& step) noexcept;
void tellReturned(Line& line, Step& step) noexcept;
/// Calls a body for which no turn is over.
void callObserved(Line& line, Step& step) noexcept;
void tellHandler(Line& line, Step& step, const ErrorData& error) noexcept;
void tellCancel(Step& step) noexcept;
void tellClosed(Step& step, const Why& why) noexcept;
/// Not in the line's turn: steps around the one that has recovered close with that.
void tellAround(Line& line) noexcept;
/// Nothing of it is open. `error`: of OutcomeKind::error.
void tellEnded(Flow& flow, OutcomeKind kind, const ErrorData* error) noexcept;
/// The line is no more.
void endObserved(Line& line) noexcept;

/// A line's turn, of those who begin lines themselves.
struct QuietTurn {
    static constexpr bool observes = false;
    explicit QuietTurn(Flow&) noexcept {}
    static bool run(Line&) noexcept { return false; }
};

/// The same, observed. What the line waits for is told in the end, when the flow's code has left
/// the native stack.
class ObservedTurn {
  public:
    static constexpr bool observes = true;
    explicit ObservedTurn(Flow& flow) noexcept : ObservedTurn(flow.share()) {}
    explicit ObservedTurn(EngineShare& share) noexcept;
    ObservedTurn(const ObservedTurn&) = delete;
    ObservedTurn& operator=(const ObservedTurn&) = delete;
    ~ObservedTurn();

    /// False: it isn't to be ended by who has begun it.
    bool run(Line& line) noexcept;
    /// The same for a line of who has begun a turn, if it has.
    static void runInside(Line& line) noexcept;
    /// The line is no more; null: nobody observes any of them.
    static void forget(ObservedTurn* innermost, const Line* line = nullptr) noexcept;

  private:
    EngineShare& share_;
    ObservedTurn* const outer_;
    Line* line_ = nullptr;  // observed, and there
};

// ---- who begins them
template <class Turn>
void startNext(RunNode* node) noexcept;
/// False: it doesn't start items of a map.
bool observeItems(RunNode& node) noexcept;

}  // namespace steptree::detail
