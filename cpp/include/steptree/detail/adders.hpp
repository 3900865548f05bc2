#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "steptree/detail/calls.hpp"
#include "steptree/detail/chain.hpp"
#include "steptree/detail/child.hpp"
#include "steptree/detail/foreach.hpp"
#include "steptree/detail/keyguard.hpp"

namespace steptree {

class IFlow;
class IParallel;

namespace detail {

/// Whether what is added to a Self are branches.
template <class Self>
inline constexpr bool isBranch =
    std::is_same_v<Self, IParallel> || std::is_same_v<Self, Chain<IParallel>>;

/// The adders that make one step, or one branch of a parallel. Each returns the object that it was
/// called on, for further calls; see Added. Guide: docs/first-flow.md
///
///     asi.add(load).add(render, nullptr, "page");
template <class Self>
class BranchAdders : public StepSink {
  public:
    /// Adds a step: a body, or a step value. Bodies take the accessor and the values of the step
    /// before, error handlers the accessor and the code. What a body returns, or its Future or Task
    /// brings, is the step's value: one, which a reference is copied to, but for `Results`, which
    /// are all values. What adders return is none. Beside success() it's ignored, beside added
    /// steps or waitExternal() an InternalError; what would be lost or dangle doesn't compile.
    /// Guide: docs/first-flow.md#steps-that-add-steps
    ///
    ///     asi.add([](IAsyncSteps&) { return 1; }).add([](IAsyncSteps&, int one) { log(one); });
    template <class F, class H = std::nullptr_t>
    Added<Self, F, H> add(F&& body, H&& onerror = nullptr, std::string_view name = {},
                          Here here = Here::current()) {
        using Body = std::decay_t<F>;
        noteSource<Body>(here);
        if constexpr (IsStepValue<Body>) {
            return addValue<F, H>(body, onerror, name);
        } else if (Place<Body>::plain && NoHandler<H> && name.empty()) {
            static_assert(!isBranch<Self> || takesNoValues<Body>, "a branch is given no values");
            void* place = this->addBare(BodyCall<Body>::template ops<Source<F>>);
            if constexpr (Place<Body>::plain) ::new (place) Body(std::forward<F>(body));
            return Added<Self, F, H>(static_cast<Self&>(*this));
        } else {
            StepSpec spec;
            spec.text = name;
            return addBody<StepCall, F, H>(spec, body, onerror);
        }
    }

    /// Runs `body(asi)` until `breakLoop`. What bodies of loops return is dropped. A step value in
    /// the place of a body is the only step of each iteration.
    /// Guide: docs/loops.md#until-something-happens
    ///
    ///     asi.loop([](IAsyncSteps& round) { round.add(delay(100ms)).add(ask); });
    template <class F>
    Added<Self, F> loop(F&& body, std::string_view label = {}, Here here = Here::current()) {
        noteSource<std::decay_t<F>>(here);
        return addLoop<F>(StepKind::loop, 0, body, label);
    }

    /// Runs `body(asi, i)` for i from 0 to count - 1. A negative count fails the step when it
    /// starts. Guide: docs/loops.md
    ///
    ///     asi.repeat(3, [](IAsyncSteps&, int i) { log(i); });
    template <class F>
    Added<Self, F> repeat(std::int64_t count, F&& body, std::string_view label = {},
                          Here here = Here::current()) {
        noteSource<std::decay_t<F>>(here);
        return addLoop<F>(StepKind::repeat, count, body, label);
    }

    /// Runs `body(asi, index, value&)`, for maps `body(asi, key, value&)`. The loop owns the
    /// collection (moved or copied in); `std::ref(collection)` is only referred to. What has an
    /// index may become longer or shorter meanwhile: elements that are added are not gone through.
    /// Of any other collection the body may erase the element that it was called for. Of a channel,
    /// which is referred to, each value is received, waited for if there's none, until the channel
    /// is closed and empty. Guide: docs/loops.md
    ///
    ///     asi.forEach(urls, [](IAsyncSteps&, std::size_t, const std::string& url) { log(url); });
    template <class C, class F>
    Added<Self, Given<C>, F> forEach(C&& collection, F&& body, std::string_view label = {},
                                     Here here = Here::current()) {
        noteSource<std::decay_t<F>>(here);
        using Held = typename GoneThrough<C>::type;
        using Loop = ForEach<Held, std::decay_t<F>>;
        Loop made(std::forward<C>(collection), std::forward<F>(body));
        StepSpec spec{&forEachOps<Loop>, &made, kLoopOver<Held>};
        spec.text = label;
        nameBy(spec, made.body());
        return this->template added<Given<C>, F>(spec);
    }

    /// Waits for an awaitable (a Future, see Awaiter); its value is the step's result, its
    /// rejection the step's error. Cancels it if the step is cancelled or times out. The argument
    /// is made when the step is added: a Future that a call returns has begun its work by then,
    /// before the steps in front of this one run; one that a body calls and returns begins in its
    /// turn. What `asioAwaited` makes begins with the step.
    /// Guide: docs/waiting.md#promises-and-futures
    ///
    ///     asi.await(fetchUser(id)).add([](IAsyncSteps&, const User& user) { log(user.name); });
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
    /// alone. Guide: docs/waiting.md#promises-and-futures
    template <class F, class H = std::nullptr_t>
    requires std::is_base_of_v<IFlow, F> Self& await(F& flow, H&& onerror = nullptr) {
        return awaitFlow<H>(Child<FlowOf<F>, FlowOf<F>*>(&flow), onerror);
    }
    /// The same with a flow that is the step's own.
    template <class Owner, class H = std::nullptr_t>
    requires ownsFlow<Owner> Self& await(Owner flow, H&& onerror = nullptr) {
        using Flow = FlowOf<typename Owner::element_type>;
        return awaitFlow<H>(Child<Flow, Owner>(std::move(flow)), onerror);
    }

    /// A guarded section: `body` runs once the guard is locked, with the values of the step before;
    /// its result is the step's. `onerror` guards the body, under the lock; what locking fails with
    /// goes outwards. The guard is unlocked on every way out, before anything outside learns of it.
    /// It has to outlive the flow's run. Guide: docs/limits.md
    ///
    ///     asi.sync(mutex, [](IAsyncSteps& section) { section.add(write).add(flush); });
    template <class F, class H = std::nullptr_t>
    Added<Self, F, H> sync(Guard& guard, F&& body, H&& onerror = nullptr,
                           Here here = Here::current()) {
        noteSource<std::decay_t<F>>(here);
        StepSpec spec{nullptr, nullptr, StepKind::sync};
        spec.of.guard = &guard;
        return addBody<StepCall, F, H>(spec, body, onerror);
    }
    /// The same with a guard of the program's own: `guard.lock(asi)`, `guard.unlock(asi, outcome)`.
    template <class F, class H = std::nullptr_t>
    Added<Self, F, H> sync(ISync& guard, F&& body, H&& onerror = nullptr,
                           Here here = Here::current()) {
        noteSource<std::decay_t<F>>(here);
        StepSpec spec{nullptr, nullptr, StepKind::sync};
        spec.of.own = &guard;
        spec.ownGuard = true;
        return addBody<StepCall, F, H>(spec, body, onerror);
    }
    /// The same with the guard of a key, see Keyed, which the section makes if there is none. What
    /// `of()` gives may go out of scope meanwhile.
    template <class F, class H = std::nullptr_t>
    Added<Self, F, H> sync(const KeyedGuard& guard, F&& body, H&& onerror = nullptr,
                           Here here = Here::current()) {
        noteSource<std::decay_t<F>>(here);
        using Body = std::decay_t<F>;
        StepSpec spec{nullptr, nullptr, StepKind::sync};
        spec.of.guard = &guard.guard();
        setHandler<H>(spec, onerror);
        if constexpr (IsStepValue<Body>) {
            const KeyedInside inside(body.definition(), guard);
            spec.ops = &kKeyedInside;
            spec.source = sourceOf(inside);
            nameBy(spec, body);
            return this->template added<F, H>(spec);
        } else {
            static_assert(!isBranch<Self> || takesNoValues<Body>, "a branch is given no values");
            KeyedBody<Body> held{std::forward<F>(body), guard};
            spec.ops = &KeyedCall<Body>::ops;
            spec.source = &held;
            return this->template added<F, H>(spec);
        }
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
        if constexpr (std::is_function_v<std::remove_reference_t<F>>) {
            Body pointer = body;
            return addBody<Call, Body, H>(spec, pointer, onerror);
        } else if constexpr (IsStepValue<Body>) {
            spec.ops = &kInsideCounted;
            const Definition& definition = body.definition();
            spec.source = &definition.self;
            nameBy(spec, body);
            setHandler<H>(spec, onerror);
            return this->template added<F, H>(spec);
        } else {
            if constexpr (std::is_same_v<Call<Body>, StepCall<Body>>) {
                static_assert(!isBranch<Self> || takesNoValues<Body>,
                              "a branch is given no values");
            }
            spec.ops = &Call<Body>::template ops<Source<F>>;
            spec.source = sourceOf(body);
            setHandler<H>(spec, onerror);
            return this->template added<F, H>(spec);
        }
    }
    template <class F, class H>
    Added<Self, F, H> addValue(const StepValue& value, std::remove_reference_t<H>& onerror,
                               std::string_view name) {
        if constexpr (!NoHandler<H>) {
            std::nullptr_t none;
            addValue<F, std::nullptr_t>(heardBy(value, static_cast<H&&>(onerror)), none, name);
        } else if (!name.empty()) {
            this->addDefined(namedAs(value, name).definition());
        } else {
            this->addDefined(value.definition());
        }
        return Added<Self, F, H>(static_cast<Self&>(*this));
    }
    template <class F>
    Added<Self, F> addLoop(StepKind kind, std::int64_t count, std::remove_reference_t<F>& body,
                           std::string_view label) {
        StepSpec spec{nullptr, nullptr, kind};
        spec.text = label;
        spec.count = count;
        std::nullptr_t none;
        return addBody<RoundCall, F, std::nullptr_t>(spec, body, none);
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

/// All adders of an accessor and of a root. Guide: docs/first-flow.md#steps-that-add-steps
///
///     asi.loop(ask).parallel().add(warmCache).add(openSocket);
template <class Self>
class Adders : public BranchAdders<Self> {
  public:
    /// A step that gives these values to the next one. Guide: docs/values.md#to-the-next-step
    ///
    ///     asi.successStep(std::string("Ann"), 42);
    template <class... T>
    requires(sizeof...(T) <= kMaxValues) Added<Self, Given<T>...> successStep(T&&... values) {
        static_assert(checkNoViews<T...>());
        this->add([... kept = Kept<T>(std::forward<T>(values))](auto& asi) mutable {
            asi.success(std::move(kept)...);
        });
        return Added<Self, Given<T>...>(static_cast<Self&>(*this));
    }
    /// The same with too many: fails with InternalError.
    template <class... T>
    requires(sizeof...(T) > kMaxValues) STEPTREE_TOO_MANY_VALUES Self& successStep(T&&...) {
        return this->add(
            [](auto& asi) { asi.errorNoThrow(errors::InternalError, kTooManyValues); });
    }

    /// A step whose branches, which are added to what it returns, run side by side, in turns. It
    /// ends when all have ended; the first error cancels the others, and is the step's.
    /// Guide: docs/many-at-once.md#all-of-them
    ///
    ///     asi.parallel().add(warmCache).add(openSocket);
    template <class H = std::nullptr_t>
    IParallel& parallel(H&& onerror = nullptr, std::string_view name = {}) {
        StepSpec spec{nullptr, nullptr, StepKind::parallel};
        setHandler<H>(spec, onerror);
        spec.text = name;
        return addParallel(spec);
    }

    /// A step, without a result, at which the line goes to the tail of its tool's queue: others
    /// have their turns. Guide: docs/loops.md#a-loop-starves-nobody
    ///
    ///     asi.add(write).relinquish().add(flush);
    Self& relinquish() {
        return this->template added<>(StepSpec{nullptr, nullptr, StepKind::relinquish});
    }

    /// For the runtime.
    struct ForChain {
        static IParallel& addParallel(Adders& self, const StepSpec& spec) {
            return self.addParallel(spec);
        }
    };

  protected:
    ~Adders() = default;

    virtual IParallel& addParallel(const StepSpec& spec) = 0;
};

/// See Added. For all but co_await it is the object that it stands for.
template <class Self>
class Chain final : public std::conditional_t<std::is_same_v<Self, IParallel>,
                                              BranchAdders<Chain<Self>>, Adders<Chain<Self>>> {
  public:
    explicit Chain(Self& self) noexcept : self_(self) {}
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    operator Self&() const noexcept { return self_; }

    void addStep(const StepSpec& spec) override { self_.addStep(spec); }
    void* addBare(const ClosureOps& ops) override { return self_.addBare(ops); }
    void addDefined(const Definition& definition) override { self_.addDefined(definition); }

  private:
    IParallel& addParallel(const StepSpec& spec) /* override, but for branches */ {
        return Adders<Self>::ForChain::addParallel(self_, spec);
    }

    Self& self_;
};

}  // namespace detail
}  // namespace steptree
