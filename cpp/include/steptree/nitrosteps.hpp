#pragma once

#include <cstddef>
#include <utility>

#include "steptree/detail/nitro.hpp"
#include "steptree/tool.hpp"

namespace steptree {

/// Steps of the root line at a time: a step counts from its adding until the step that added it is
/// closed; those of the root's own level until the flow is idle. Of a step value each step counts
/// while it is open, a sequence as one whose captures take 24 bytes.
template <std::size_t N>
struct MaxSteps : detail::NitroLimit<N> {};
/// Bytes that a step's captures take, with those of its error handler and 8 more for that, and its
/// name and 8 more for that; each of the three rounded up to a multiple of 8.
template <std::size_t N>
struct MaxCapture : detail::NitroLimit<N> {};
/// How many of those steps are `loop`, `repeat` or `forEach`.
template <std::size_t N>
struct MaxLoops : detail::NitroLimit<N> {};
/// How many are `parallel`, `all`, `race` or `any`.
template <std::size_t N>
struct MaxParallels : detail::NitroLimit<N> {};
/// How many have called setTimeout, or are `delay`.
template <std::size_t N>
struct MaxTimeouts : detail::NitroLimit<N> {};
/// How many have called setCancel; twice as much for one that replaces its handler.
template <std::size_t N>
struct MaxCancels : detail::NitroLimit<N> {};
/// How many are `await`, or have returned an awaitable.
template <std::size_t N>
struct MaxAwaits : detail::NitroLimit<N> {};
/// Bytes for what `stack<T>()` gives and a Local is set to, and for the codes that setTimeout() is
/// given; 32 more for each.
template <std::size_t N>
struct MaxStack : detail::NitroLimit<N> {};
/// How many are `sync`, with what a Mutex, Throttle or Limiter takes for one that waits; a guard of
/// one's own may take more, of the other limits.
template <std::size_t N>
struct MaxSyncs : detail::NitroLimit<N> {};
/// How many functions `defer` is given by steps that are open, and how many steps are `shield`.
template <std::size_t N>
struct MaxDefers : detail::NitroLimit<N> {};
/// How many are `map`. Its source, body and error handler count as the captures of a step, and each
/// of its items as one of MaxBranchSteps.
template <std::size_t N>
struct MaxMaps : detail::NitroLimit<N> {};
/// How many are `retry`, each with the steps in which it tries and waits, or `hedge`.
template <std::size_t N>
struct MaxRetries : detail::NitroLimit<N> {};
/// How many have asked for their signal, whose state is on the heap.
template <std::size_t N>
struct MaxSignals : detail::NitroLimit<N> {};
/// Branches that run at a time, in all parallels of the flow together, however deep; a map takes
/// its limit of them, a hedge its `max`, whose first steps are MaxSteps of the line around it.
template <std::size_t N>
struct MaxBranches : detail::NitroLimit<N> {};
/// Steps of one branch at a time, counted like those of the root line, without the one that the
/// branch began with. The other limits hold for each branch as well, but for one of a kind a step.
template <std::size_t N>
struct MaxBranchSteps : detail::NitroLimit<N> {};
/// Runs whose `done` has not been called yet; more of them take memory of the tool.
template <std::size_t N>
struct MaxDones : detail::NitroLimit<N> {};

/// A flow that is all of its memory: `NitroSteps<MaxSteps<8>, MaxTimeouts<1>> flow{tool};`. The
/// same as AsyncSteps in all that it does; the limits, in any order, say what it holds at least,
/// and what one of them leaves over others may use. One step too many is the error `OutOfSteps` of
/// the step whose call it was, also if that catches the exception; of the parallel step, if its
/// branches are too many; before execute() it is thrown to the caller. The size is known when it is
/// compiled: `sizeof`.
///
/// Once it is made it takes nothing from the heap. What others take there for it: the C++ runtime
/// for exceptions that are thrown, or asked for; the program for promises and for what its captures
/// hold; the engine for values of more than 32 bytes, for the state, cancellers and calls from
/// other threads than the tool's, signals, and for errors with texts that are no short strings or
/// for many of them at a time. Completions have room in the tool unless AsyncSteps on it use that
/// up. newInstance() gives an AsyncSteps.
///
/// It can't be moved, and where it is destroyed it is gone when that returns: a flow that runs is
/// cancelled in the call, also within a cancel handler of another flow; on another thread than its
/// tool's that is waited for. So it may not be destroyed in its own bodies and handlers, nor in a
/// callback of another tool than its own: that prints why and ends the program. In its `done` it
/// may. Guide: docs/cpp.md#memory
///
///     NitroSteps<MaxSteps<8>, MaxTimeouts<1>> nitro{tool};
///     nitro.add(poll).execute();
template <class... Limits>
class NitroSteps final : public detail::NitroFlow {
    static_assert((... && detail::isNitroLimit<Limits>), "expected MaxSteps<8> and the like");

    template <template <std::size_t> class Limit>
    static constexpr std::size_t limit(std::size_t otherwise) noexcept {
        return detail::nitroLimit<Limit, Limits...>(otherwise);
    }

    static constexpr detail::NitroLine line() noexcept {
        return {limit<MaxSteps>(16),    limit<MaxCapture>(48), limit<MaxLoops>(2),
                limit<MaxParallels>(1), limit<MaxTimeouts>(2), limit<MaxCancels>(2),
                limit<MaxAwaits>(1),    limit<MaxStack>(0),    limit<MaxSyncs>(0),
                limit<MaxDefers>(0),    limit<MaxMaps>(0),     limit<MaxRetries>(0),
                limit<MaxSignals>(0)};
    }
    static constexpr detail::NitroPlan plan = detail::NitroPlan::of(
        line(), limit<MaxBranches>(4), limit<MaxBranchSteps>(4), limit<MaxDones>(1));

  public:
    explicit NitroSteps(Tool& tool) { make(tool, memory_, plan); }
    /// InternalError if `options.burst` is 0. The hooks are kept on the heap.
    NitroSteps(Tool& tool, Options options) { make(tool, memory_, plan, std::move(options)); }
    NitroSteps(const NitroSteps&) = delete;
    NitroSteps& operator=(const NitroSteps&) = delete;
    ~NitroSteps() override { end(); }

  private:
    alignas(detail::kNitroAlign) std::byte memory_[plan.bytes()];
};

}  // namespace steptree
