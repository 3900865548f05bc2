#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "steptree/detail/stepspec.hpp"
#include "tree.hpp"

/// What the engine asks about a step: it runs plain bodies, opens, closes and unwinds, and knows no
/// kind of step by name.
namespace steptree::detail {

class KeptPlace;
class WaitedFor;

/// What becomes of a line's turn.
enum class [[nodiscard]] Answer : std::uint8_t{
    ready,    // the body of the line's top is to be called
    again,    // the line's top is to be looked at again
    pending,  // the turn is over
    ended     // the step has ended
};

/// With what a step closes. The words are those of spec/model/closing.ts.
struct Why {
    enum How : std::uint8_t { ok, failed, broken, continued, silent, cancelled };
    How how = ok;
    ErrorData* error = nullptr;  // failed; silent: what is raised further out, null: nothing
};
inline constexpr Why kClosedOk{};

/// What snapshots say that a step waits for. The words are those of spec/observe.md.
struct Waits {
    enum For : std::uint8_t {
        nothing,
        turn,
        code,
        stop,
        guard,
        send,
        receive,
        timer,
        awaitable,
        completion,
        success
    };
    For what = nothing;
    const TimerNode* due = nullptr;     // timer; null: for ever
    WaitedFor* on = nullptr;            // guard; null: one of the program's own
    const std::string* name = nullptr;  // of a channel
};

/// How a path shows a step.
enum class PathElement : std::uint8_t { step, round, branch, deferred };

/// One kind of step, defined in the kind's file. What is null has nothing to say. Without a
/// StepKind of its own its steps are made by addTo() or makeStep() only, from a spec with
/// StepKind::other: the Kind stands in front of the step.
struct Kind {
    std::size_t size = 0;  // of its part, which lies behind the step
    PathElement element = PathElement::step;
    bool isLoop = false;  // break and continue find it; a text is its label
    /// Its part, which make() constructs, begins with a HostPart. branchEnded, branchLeft and stop
    /// are asked without a test then.
    bool hasBranches = false;
    bool wins = false;  // its first branch that ends with ok ends it
    /// To open it calls no body, and costs no budget.
    bool isFree = true;
    /// What it finds is for steps inside, though it is free.
    bool takesValues = false;
    bool dropsValue = false;  // what its body returns is no result

    /// It is to be added. Throws what is wrong with it.
    void (*check)(const Line& line, const StepSpec& spec) = nullptr;
    /// Makes its part.
    void (*make)(Step& step, const StepSpec& spec) noexcept = nullptr;
    /// Destroys its part. Asked if the step has kOwns.
    void (*destroy)(Step& step) noexcept = nullptr;

    /// It is the line's top, and inner. Ready: see giveBody(). Ended: it is to be closed.
    Answer (*open)(Line& line, Step& step) noexcept = nullptr;
    /// It is the line's top, and its level is empty. Null: it has ended. It may be asked again
    /// before a round begins.
    Answer (*next)(Line& line, Step& step) noexcept = nullptr;
    /// The same two of a kind that runs bodies itself, while its flow is observed, who is told of
    /// each: `ready` is answered before every body, or it tells that itself.
    Answer (*openObserved)(Line& line, Step& step) noexcept = nullptr;
    Answer (*nextObserved)(Line& line, Step& step) noexcept = nullptr;
    /// After `ready`: the step whose body is to be called.
    Step& (*round)(Line& line, Step& step) noexcept = nullptr;
    /// An error has come to it, and everything inside is closed. Asked before its own handler, and
    /// again when the steps that this has added fail. True: it goes on, or the flow is to be
    /// cancelled; else `error` does, perhaps another one.
    bool (*failed)(Line& line, Step& step, ErrorRef& error) noexcept = nullptr;
    /// It is left, or its cleanup fails, perhaps both: what it has begun is to stop.
    void (*exit)(Line& line, Step& step) noexcept = nullptr;
    /// It closes, for whatever reason. Asked if the step has kOwed: sets it before a body of it
    /// runs.
    void (*closed)(Step& step, const Why& why) noexcept = nullptr;
    /// What it has that a wait inside keeps when it is abandoned. Null: nothing.
    KeptPlace* (*keep)(Step& step) = nullptr;

    /// A branch has ended with ok.
    void (*branchEnded)(Branch& branch) noexcept = nullptr;
    /// A branch has ended with an error. True: the step fails with `error`. Null: it does so with
    /// the first one.
    bool (*branchFailed)(Branch& branch, ErrorRef& error) noexcept = nullptr;
    /// A branch is closed: its memory may serve another one.
    void (*branchLeft)(Branch& branch) noexcept = nullptr;
    /// A closing has reached it, or it never opens: no branch begins any more. Asked before its
    /// branches are closed, and then again.
    void (*stop)(Step& step) noexcept = nullptr;

    // ---- for snapshots

    /// Whether nothing but a step value is in it, which has ended: to observers it closes with
    /// that.
    bool (*endsInside)(Step& step) noexcept = nullptr;
    /// It's its parent's business what it is, and what is inside of it: observers aren't told.
    bool isHidden = false;
    const char* name = "step";  // the call that makes it; null: its steps are parts of their parent
    /// The same, where not all of its steps are made by one.
    const char* (*nameOf)(Step& step) noexcept = nullptr;
    /// What it waits for itself, whatever is open inside.
    Waits (*waits)(Step& step) noexcept = nullptr;
    /// The guard of a section; null: it's one of the program's own.
    WaitedFor* (*guardOf)(Step& step) noexcept = nullptr;
    /// The first of its branches that have not started, and have no line yet.
    Step* (*unstarted)(Step& step) noexcept = nullptr;
};

inline constexpr Kind plainKind{};

/// By their StepKind; see kinds.cpp.
using Kinds = std::array<const Kind*, static_cast<std::size_t>(StepKind::other)>;
extern const Kinds kKinds;

}  // namespace steptree::detail
