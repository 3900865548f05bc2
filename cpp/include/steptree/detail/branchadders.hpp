#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "steptree/detail/calls.hpp"
#include "steptree/detail/chain.hpp"
#include "steptree/detail/child.hpp"
#include "steptree/detail/duration.hpp"
#include "steptree/detail/foreach.hpp"
#include "steptree/detail/map.hpp"
#include "steptree/detail/stepspec.hpp"
#include "steptree/retry.hpp"

namespace steptree {

class IFlow;
class IParallel;

namespace detail {

/// Whether what is added to a Self are branches.
template <class Self>
inline constexpr bool isBranch =
    std::is_same_v<Self, IParallel> || std::is_same_v<Self, Chain<IParallel>>;

/// The adders that make one step, or one branch of a parallel. Each returns the object that it was
/// called on, for further calls; see Added. [model-19]
template <class Self>
class BranchAdders : public StepSink {
  public:
    /// Adds a step. Bodies take the accessor and the values of the step before, error handlers the
    /// accessor and the code. What a body returns, or its Future or Task brings, is the step's
    /// value: one, which a reference is copied to, but for `Results`, which are all values. What
    /// adders return is none. Beside success() it's ignored, beside added steps or waitExternal()
    /// an InternalError; what would be lost or dangle doesn't compile. [model-76] [model-86]
    /// [model-135] [model-138] [model-139] [model-140]
    template <class F, class H = std::nullptr_t>
    Added<Self, F, H> add(F&& body, H&& onerror = nullptr, std::string_view name = {}) {
        using Body = std::decay_t<F>;
        static_assert(!isBranch<Self> || takesNoValues<Body>, "a branch is given no values");
        if (Place<Body>::plain && NoHandler<H> && name.empty()) {
            void* place = this->addBare(BodyCall<Body>::template ops<Source<F>>);
            if constexpr (Place<Body>::plain) ::new (place) Body(std::forward<F>(body));
            return Added<Self, F, H>(static_cast<Self&>(*this));
        }
        StepSpec spec;
        spec.text = name;
        return addBody<StepCall, F, H>(spec, body, onerror);
    }

    /// Runs `body(asi)` until `breakLoop`. What bodies of loops return is dropped. [loop-1]
    /// [model-137]
    template <class F>
    Added<Self, F> loop(F&& body, std::string_view label = {}) {
        return addLoop<F>(StepKind::loop, 0, body, label);
    }

    /// Runs `body(asi, i)` for i from 0 to count - 1. A negative count fails the step when it
    /// starts. [loop-9] [loop-10]
    template <class F>
    Added<Self, F> repeat(std::int64_t count, F&& body, std::string_view label = {}) {
        return addLoop<F>(StepKind::repeat, count, body, label);
    }

    /// Runs `body(asi, index, value&)`, for maps `body(asi, key, value&)`. The loop owns the
    /// collection (moved or copied in); `std::ref(collection)` is only referred to. What has an
    /// index may become longer or shorter meanwhile: elements that are added are not gone through.
    /// Of any other collection the body may erase the element that it was called for.
    /// [loop-11] [loop-12] [loop-19] [loop-20]
    template <class C, class F>
    Added<Self, Given<C>, F> forEach(C&& collection, F&& body, std::string_view label = {}) {
        using Loop = ForEach<std::decay_t<C>, std::decay_t<F>>;
        Loop made(std::forward<C>(collection), std::forward<F>(body));
        StepSpec spec{&forEachOps<Loop>, &made, StepKind::forEach};
        spec.text = label;
        return this->template added<Given<C>, F>(spec);
    }

    /// Runs `body(asi, item, i)` for each item of a source, at most `limit` of them at a time, each
    /// as a branch of its own. The next one is taken when there is room for it, so the source may
    /// be endless. It is a collection as in forEach(), or a function that returns std::optional, at
    /// its end with an empty one. What the body refers to as its item stays until its step is
    /// closed.
    ///
    /// `map<R>(source, {.limit = 8}, body)` has the first values of the bodies, each an R, as its
    /// result: a std::vector<R>; or gives them to `sink`, and has none. If R is Results, they are
    /// all values of a body. `map(source, {.limit = 8}, body)` is not interested in them. The first
    /// error cancels and closes the other items, then destroys the source. A limit of 0 throws
    /// InternalError. [flow-60] [flow-63] [flow-70] [flow-74] [flow-80] [flow-98] [flow-99]
    template <class R = void, class C, class F, class H = std::nullptr_t>
    Added<Self, Given<C>, F, H> map(C&& source, MapOptions<R> options, F&& body,
                                    H&& onerror = nullptr) {
        using Map = Mapping<R, std::decay_t<C>, std::decay_t<F>>;
        StepSpec spec{nullptr, nullptr, StepKind::map};
        setHandler<H>(spec, onerror);
        spec.count = static_cast<std::int64_t>(
            std::min<std::size_t>(options.limit, std::numeric_limits<std::int64_t>::max()));
        if constexpr (!std::is_void_v<R>) spec.keepsOrder = options.ordered && options.sink;
        Map made(std::forward<C>(source), std::move(options), std::forward<F>(body));
        spec.ops = &mapOps<Map>;
        spec.source = &made;
        return this->template added<Given<C>, F, H>(spec);
    }

    /// Waits for an awaitable (a Future, see Awaiter); its value is the step's result, its
    /// rejection the step's error. Cancels it if the step is cancelled or times out. The argument
    /// is made when the step is added: a Future that a call returns has begun its work by then,
    /// before the steps in front of this one run; in a body of its own,
    /// `add([](IAsyncSteps&) { return charge(); })`, it begins in its turn. What `asioAwaited`
    /// makes begins with the step. [promise-11] [promise-16]
    template <Awaitable X, class H = std::nullptr_t>
    Added<Self, Given<X>, H> await(X&& awaitable, H&& onerror = nullptr) {
        using Held = std::decay_t<X>;
        StepSpec spec{&AwaitCall<Held>::template ops<Source<X>>, sourceOf(awaitable),
                      StepKind::await};
        setHandler<H>(spec, onerror);
        return this->template added<Given<X>, H>(spec);
    }

    /// Waits for a flow, idle and of the same tool, else InternalError: executes it when the step
    /// opens, ends with its values or its error, and cancels it with the step, which waits for its
    /// cleanups. The flow has to outlive the step; one that is given as a unique_ptr is the step's.
    /// To wait for what somebody else has executed, await its `promise()`: that leaves the flow
    /// alone. [promise-40] [promise-41]
    template <class F, class H = std::nullptr_t>
    requires std::is_base_of_v<IFlow, F> Self& await(F& flow, H&& onerror = nullptr) {
        return awaitFlow<H>(ChildOf<F>(flow), onerror);
    }
    template <class F, class H = std::nullptr_t>
    requires std::is_base_of_v<IFlow, F> Self& await(std::unique_ptr<F> flow,
                                                     H&& onerror = nullptr) {
        return awaitFlow<H>(ChildOf<F>(std::move(flow)), onerror);
    }

    /// A guarded section: `body` runs once the guard is locked, with the values of the step before;
    /// its result is the step's. `onerror` guards the body, under the lock; what locking fails with
    /// goes outwards. The guard is unlocked on every way out, before anything outside learns of it.
    /// It has to outlive the flow's run. [sync-1]
    template <class F, class H = std::nullptr_t>
    Added<Self, F, H> sync(Guard& guard, F&& body, H&& onerror = nullptr) {
        StepSpec spec{nullptr, nullptr, StepKind::sync};
        spec.of.guard = &guard;
        return addBody<StepCall, F, H>(spec, body, onerror);
    }
    /// The same with a guard of the program's own: `guard.lock(asi)` and `guard.unlock(asi)`.
    template <class F, class H = std::nullptr_t>
    Added<Self, F, H> sync(ISync& guard, F&& body, H&& onerror = nullptr) {
        StepSpec spec{nullptr, nullptr, StepKind::sync};
        spec.of.own = &guard;
        spec.ownGuard = true;
        return addBody<StepCall, F, H>(spec, body, onerror);
    }

    /// A step in which a timeout, a cancel or a failed sibling outside of it isn't seen: it's done
    /// when the step has closed. After `limit`, milliseconds or any chrono duration, finite:
    /// Timeout at the step; what `onerror` adds has it anew. [cleanup-70] [cleanup-72] [cleanup-30]
    template <class Time, class F, class H = std::nullptr_t>
    Added<Self, F, H> shield(Time limit, F&& body, H&& onerror = nullptr) {
        StepSpec spec{nullptr, nullptr, StepKind::shield};
        spec.count = wholeMilliseconds(limit);
        return addBody<StepCall, F, H>(spec, body, onerror);
    }

    /// Adds a step that waits so many milliseconds, or any chrono duration, rounded up, and has no
    /// result; Infinity is for ever. Whatever closes it takes its timer away. Negative or NaN:
    /// InternalError to the caller. [flow-30] [flow-33]
    template <class Time>
    Self& delay(Time time) {
        StepSpec spec{nullptr, nullptr, StepKind::delay};
        spec.count = wholeMilliseconds(time);
        return added(spec);
    }

    /// Adds a step that runs `body(asi, attempt)`, and again, after a wait, when that has failed:
    /// at most `max` times. Each attempt is a step of its own, which is closed before the next; it
    /// gets its number, from 1. The values of the one that ends with ok are the result, the error
    /// of the last one is the step's, then `onerror` is called. The error of an attempt has that of
    /// the attempt before as its cause(); one that has a cause of its own, as each exception that
    /// isn't a StepError has in `state().lastError()`, as the first of its also(). So the first
    /// error and the last seven are found. Never after a cancel, a timeout of an enclosing step, a
    /// break or continue. Bad options: InternalError to the caller. [flow-40] [flow-46] [flow-49]
    /// [flow-51] [flow-55] [flow-104] [flow-113]
    template <class F, class H = std::nullptr_t>
    Added<Self, F, H> retry(RetryOptions options, F&& body, H&& onerror = nullptr) {
        StepSpec spec{nullptr, nullptr, StepKind::retry};
        spec.of.retry = &options;
        return addBody<AttemptCall, F, H>(spec, body, onerror);
    }

  protected:
    ~BranchAdders() = default;

    template <class... X>
    Added<Self, X...> added(const StepSpec& spec) {
        this->addStep(spec);
        return Added<Self, X...>(static_cast<Self&>(*this));
    }

  private:
    /// `Call` says how the body is called. A function is kept as a pointer to it.
    template <template <class> class Call, class F, class H>
    Added<Self, F, H> addBody(StepSpec& spec, std::remove_reference_t<F>& body,
                              std::remove_reference_t<H>& onerror) {
        using Body = std::decay_t<F>;
        if constexpr (std::is_same_v<Call<Body>, StepCall<Body>>) {
            static_assert(!isBranch<Self> || takesNoValues<Body>, "a branch is given no values");
        }
        if constexpr (std::is_function_v<std::remove_reference_t<F>>) {
            Body pointer = body;
            return addBody<Call, Body, H>(spec, pointer, onerror);
        } else {
            spec.ops = &Call<Body>::template ops<Source<F>>;
            spec.source = sourceOf(body);
            setHandler<H>(spec, onerror);
            return this->template added<F, H>(spec);
        }
    }
    template <class F>
    Added<Self, F> addLoop(StepKind kind, std::int64_t count, std::remove_reference_t<F>& body,
                           std::string_view label) {
        StepSpec spec{nullptr, nullptr, kind};
        spec.text = label;
        spec.count = count;
        std::nullptr_t none;
        return addBody<IterationCall, F, std::nullptr_t>(spec, body, none);
    }

    template <class H, class Held>
    Added<Self, H> awaitFlow(Held flow, std::remove_reference_t<H>& onerror) {
        StepSpec spec{&AwaitCall<Held>::template ops<Held>, sourceOf(flow), StepKind::await};
        setHandler<H>(spec, onerror);
        spec.of.core = &flow.core();
        spec.runs = flow.running();
        return this->template added<H>(spec);
    }
};

}  // namespace detail
}  // namespace steptree
