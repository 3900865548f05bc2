#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/completion.hpp"
#include "steptree/detail/adders.hpp"
#include "steptree/detail/duration.hpp"
#include "steptree/error.hpp"
#include "steptree/iparallel.hpp"
#include "steptree/outcome.hpp"
#include "steptree/results.hpp"
#include "steptree/state.hpp"
#include "steptree/values.hpp"

namespace steptree {

namespace detail {
struct GivenSignal;
}

/// The accessor of one step (in a loop: of one iteration), and all that business logic needs of
/// this library. What brings large headers of the standard library is a function of its own:
/// newInstance(asi) of iflow.hpp, signal(asi) of signal.hpp, remaining(asi) of remaining.hpp. Words
/// such as line, turn, frame, to latch and to claim are explained in spec/README.md, "Words". A
/// reference to it is good as long as its step is open; after that it may be another step's: what
/// is kept is a Completion. Tool's thread only: elsewhere calls throw InternalError; success(),
/// setTimeout(), waitExternal() and what adds steps do so where the library was built with
/// STEPTREE_CHECK_THREADS.
///
/// Valid in the step's body, in its error handler, and while the step is the innermost open one of
/// its line and waits. Any other call while it's open throws InternalError, and does nothing.
///
/// In bodies and handlers `success`, `error`, `breakLoop`, `continueLoop` only take note; the tree
/// moves when the body has returned, and the last error or loop control decides. On a step that
/// waits they end the wait, in the line's turn. Guide: docs/first-flow.md
///
///     flow.add([](IAsyncSteps& asi) { asi.add(load).add(render); });
class STEPTREE_VISIBLE IAsyncSteps : public detail::Adders<IAsyncSteps> {
  public:
    /// Ends the step well, with at most 4 values for the next body; a single one may be returned
    /// instead. More fail it with InternalError, and the compiler warns of it; views, which may be
    /// gone by then, don't compile. Guide: docs/values.md#to-the-next-step
    ///
    ///     asi.success(std::string("Ann"), 42);
    template <class... T>
    requires(sizeof...(T) <= detail::kMaxValues) void success(T&&... values) {
        static_assert(detail::checkNoViews<T...>());
        if constexpr (sizeof...(T) == 0) {
            succeed(nullptr);
        } else {
            Results kept;
            kept.set(std::forward<T>(values)...);
            succeed(&kept);
        }
    }
    /// The same with too many: fails the step with InternalError.
    template <class... T>
    requires(sizeof...(T) > detail::kMaxValues) STEPTREE_TOO_MANY_VALUES void success(T&&...) {
        errorNoThrow(errors::InternalError, detail::kTooManyValues);
    }

    /// Gives all values on as they are. Guide: docs/values.md#to-the-next-step
    void success(Results&& values) { succeed(&values); }

    /// Fails the step and leaves the body by a StepError. Copies its arguments. A handler's error
    /// has the one that it replaces as cause, unless it is given one. Called on a waiting step it
    /// throws too, after it has taken effect: use errorNoThrow there. Guide: docs/errors.md
    ///
    ///     if (!user) asi.error("NotFound", "no user " + id);
    [[noreturn, gnu::always_inline]] void error(std::string_view code, std::string_view info = {}) {
        detail::ErrorData* made = raise(code, info, nullptr);
        throw StepError(made);
    }
    /// The same with a cause.
    [[noreturn, gnu::always_inline]] void error(std::string_view code, std::string_view info,
                                                const std::exception_ptr& cause) {
        detail::ErrorData* made = raise(code, info, &cause);
        throw StepError(made);
    }
    /// Fails the step when the body returns, without throwing.
    /// Guide: docs/errors.md#without-exceptions
    ///
    ///     asi.errorNoThrow("NotFound", "no user " + id);
    void errorNoThrow(std::string_view code, std::string_view info = {}) {
        fail(code, info, nullptr);
    }
    /// The same with a cause.
    void errorNoThrow(std::string_view code, std::string_view info,
                      const std::exception_ptr& cause) {
        fail(code, info, &cause);
    }

    /// Ends the innermost loop, or the nearest one with the label; leaves the body by throwing a
    /// LoopControl. Without such a loop: as error(InternalError). Called on a waiting step it
    /// throws too, after it has taken effect: use breakNoThrow there.
    /// Guide: docs/loops.md#until-something-happens
    ///
    ///     asi.loop([](IAsyncSteps& round) { round.breakLoop(); }, "polling");
    [[noreturn]] void breakLoop(std::string_view label = {}) {
        const std::uint64_t loop = control(label, true, true);
        throw LoopControl(true, label, loop);
    }
    /// Goes on with the next iteration of that loop; else as breakLoop().
    /// Guide: docs/loops.md#until-something-happens
    ///
    ///     asi.repeat(3, [](IAsyncSteps& round, int i) {
    ///         if (i == 1) round.continueLoop();
    ///         compute(i);
    ///     });
    [[noreturn]] void continueLoop(std::string_view label = {}) {
        const std::uint64_t loop = control(label, false, true);
        throw LoopControl(false, label, loop);
    }
    /// As breakLoop(), without throwing: takes effect when the body returns, of a waiting step at
    /// once. Guide: docs/loops.md#until-something-happens
    void breakNoThrow(std::string_view label = {}) { control(label, true, false); }
    /// As continueLoop(), without throwing. Guide: docs/loops.md#until-something-happens
    void continueNoThrow(std::string_view label = {}) { control(label, false, false); }
    /// For the C interface: takes effect as these do; InternalError without such a loop.
    void controlLoop(std::string_view label, bool isBreak) { control(label, isBreak, true); }

    /// Limits the time of the step and of everything under it, in milliseconds or any chrono
    /// duration, rounded up: when it is over all inside is cancelled and Timeout is raised here.
    /// One timer a step, the last call counts. Negative or NaN: InternalError. Infinity: never. The
    /// step waits, unless its body has ended it, returned something or added steps. Of two
    /// deadlines the path() of the error tells which one has passed: it is that of the step that
    /// called this. A body isn't interrupted: one that returns too late, and was long enough for
    /// the tool to look at its clock, has ended with Timeout, whatever it has left. What takes time
    /// to stop is waited for, up to `grace` of the Options (5 s): so Timeout may be late.
    /// Guide: docs/deadlines.md
    ///
    ///     asi.setTimeout(500ms);
    ///     asi.add(load).add(render);  // together in half a second
    template <class Time>
    void setTimeout(Time time) {
        armTimeout(detail::wholeMilliseconds(time));
    }
    /// The same with a code in the place of Timeout: a handler further out tells the limit of a
    /// call from that of the request. Empty: InternalError. Guide: docs/deadlines.md
    template <class Time>
    void setTimeout(Time time, std::string_view code) {
        armTimeout(detail::wholeMilliseconds(time), code);
    }

    /// Sets what is called as `handler(asi)`, once, at once, when the step ends in any other way
    /// than ok; a further call replaces it. In it only `state`, signal and locals work, and it
    /// can't wait: what does is for defer(). The step waits, unless its body has ended it, returned
    /// something or added steps. Guide: docs/cleanup.md
    ///
    ///     auto timer = tool.deferred(50ms, &tell);
    ///     asi.setCancel([timer = std::move(timer)](IAsyncSteps&) mutable { timer.cancel(); });
    template <class F>
    void setCancel(F&& handler) {
        using Handler = std::decay_t<F>;
        keepCancel(detail::CancelCall<Handler>::template ops<detail::Source<F>>,
                   detail::sourceOf(handler));
    }

    /// `fn(asi)` runs when the step closes, whatever ends it, as the body of a step of its own: it
    /// may add steps and wait. The last one first; before anything outside learns of the end, and
    /// before a guard of the step is unlocked. Nothing from outside ends it; after the flow's
    /// `grace` it is abandoned and reported. Its error becomes that of a step that ended well, else
    /// it is told in `also`, after a cancel to `report`. The step doesn't wait for being given one.
    /// One that takes `(IAsyncSteps&, const Outcome&)` is told how the step closes: as `done` is,
    /// and what closes it from outside is a cancel, whose reason is the code that is raised there.
    /// The outcome is there for as long as the function runs itself, not what it adds.
    /// Guide: docs/cleanup.md#defer
    ///
    ///     asi.defer([](IAsyncSteps& step, const Outcome& outcome) {
    ///         outcome.kind == OutcomeKind::ok ? step.add(commit) : step.add(rollBack);
    ///     });
    template <class F>
    void defer(F&& fn) {
        using Body = std::decay_t<F>;
        if constexpr (std::is_function_v<std::remove_reference_t<F>>) {
            defer(Body(fn));
        } else {
            using Call = detail::DeferredCall<Body>;
            keepDeferred(Call::template ops<detail::Source<F>>, detail::sourceOf(fn));
        }
    }

    /// Milliseconds until the nearest timeout around ends this step: its own, those of the steps
    /// around it, the limit of a shield, the grace of a deferred function; the last two hide what
    /// is further out. Never negative; INT64_MAX without any.
    /// Guide: docs/deadlines.md#how-much-time-is-left
    ///
    ///     auto answer = fetchUser(id, asi.remaining());
    virtual std::int64_t remaining() const = 0;

    /// Makes the step wait for an outside event, and gives the completion that ends it. It may be
    /// dropped: then a timeout, an error or a cancel ends the step. A body that has ended its step,
    /// returned something or added steps doesn't wait. Guide: docs/waiting.md#callbacks
    ///
    ///     onAnswer([done = asi.waitExternal()](const std::string& text) { done.success(text); });
    virtual Completion waitExternal() = 0;

    /// An object that lives until this step is closed, also after its body.
    /// Guide: docs/values.md#in-c-what-lives-how-long
    ///
    ///     int& rounds = asi.stack<int>(0);
    template <class T, class... A>
    T& stack(A&&... args) {
        constexpr bool plain = std::is_trivially_destructible_v<T>;
        const StackPlace place = reserveStack(
            sizeof(T), alignof(T),
            plain ? nullptr : +[](void* object) { static_cast<T*>(object)->~T(); });
        T* object;
        if constexpr (std::is_constructible_v<T, A...>) {
            object = ::new (place.object) T(std::forward<A>(args)...);
        } else {
            object = ::new (place.object) T{std::forward<A>(args)...};  // an aggregate
        }
        if constexpr (!plain) keepStack(place);
        return *object;
    }

    /// Shared by the whole flow, and kept from one execution to the next; readable as long as the
    /// reference is good. Guide: docs/values.md#for-the-whole-flow
    virtual State& state() = 0;
    /// The value of that key, made from `init` if there is none.
    /// Guide: docs/values.md#for-the-whole-flow
    ///
    ///     ++asi.state<int>("requests");
    template <class T>
    T& state(std::string_view key, T init = {}) {
        return state().template get<T>(key, std::move(init));
    }

    /// Whether calls on this accessor would be taken: in the step's body and handlers, and while it
    /// waits.
    virtual bool valid() const noexcept = 0;
    explicit operator bool() const noexcept { return valid(); }

    /// For newInstance(): the caller's.
    virtual IFlow* makeFlow() = 0;
    /// For signal().
    virtual void giveSignal(detail::GivenSignal& into) = 0;
    /// For the runtime: the body has returned an awaitable.
    virtual void watch(const detail::AwaitOps& ops, void* source) = 0;
    /// For the runtime: the body has returned a value; none if it is empty.
    virtual void keepReturned(Results& value) = 0;
    /// For the runtime: the body has returned a coroutine, see detail/coroutine.hpp.
    virtual void keepCoroutine(const detail::ClosureOps& ops, void* source) = 0;
    /// For the runtime: how the step closes whose deferred function this is. Where its values are
    /// to be put back; null: it has none.
    virtual Results* lendOutcome(Outcome& into) noexcept = 0;
    /// For Local: moves the value of a local to where it lives till the step closes. Not null: the
    /// step has one, there, and nothing is moved.
    virtual void* keepLocal(const void* local, const detail::TypeDesc& type, void* from) = 0;
    /// For Local: that of the innermost step around; null: none has one.
    virtual const void* findLocal(const void* local) const = 0;
    /// For the runtime: memory for a coroutine's frame, from where the flow has its own.
    virtual void* takeFrame(std::size_t size) = 0;
    /// For the runtime: an exception that has left its code, and is being handled. Null: of a type
    /// that nobody knows.
    virtual void caught(const StepError& thrown) noexcept = 0;
    /// The same.
    virtual void caught(const LoopControl& thrown) noexcept = 0;
    /// The same.
    virtual void caught(const std::exception* thrown) noexcept = 0;

  protected:
    ~IAsyncSteps() = default;

    struct StackPlace {
        void* object;
        void* record;
    };

  private:
    /// Latches or claims the error.
    virtual void fail(std::string_view code, std::string_view info,
                      const std::exception_ptr* cause) = 0;
    /// The same, and gives a reference for the exception.
    virtual detail::ErrorData* raise(std::string_view code, std::string_view info,
                                     const std::exception_ptr* cause) = 0;
    /// Which loop it is, for the exception that is going to be thrown; throws if there is none.
    virtual std::uint64_t control(std::string_view label, bool isBreak, bool throws) = 0;
    virtual void succeed(Results* values) = 0;
    virtual void armTimeout(std::int64_t ms) = 0;
    virtual void armTimeout(std::int64_t ms, std::string_view code) = 0;
    virtual void keepCancel(const detail::ClosureOps& ops, void* source) = 0;
    virtual void keepDeferred(const detail::ClosureOps& ops, void* source) = 0;
    virtual StackPlace reserveStack(std::size_t size, std::size_t align,
                                    void (*destroy)(void*)) = 0;
    virtual void keepStack(StackPlace place) noexcept = 0;
};

template <class Act>
void detail::guarded(IAsyncSteps& asi, Act&& act) noexcept {
    try {
        act();
    } catch (const StepError& thrown) {
        asi.caught(thrown);
    } catch (const LoopControl& thrown) {
        asi.caught(thrown);
    } catch (const std::exception& thrown) {
        asi.caught(&thrown);
    } catch (...) {
        asi.caught(nullptr);
    }
}

template <class Call>
void detail::withOutcome(IAsyncSteps& asi, Call&& call) {
    Outcome outcome;
    const PutBack back{outcome.values, asi.lendOutcome(outcome)};
    call(std::as_const(outcome));
}

template <detail::Returned returned, class Call>
void detail::callAndWatch(IAsyncSteps& asi, Call&& call) {
    using R = std::decay_t<decltype(call())>;
    if constexpr (std::is_void_v<R> || isAccessor<R>) {
        static_cast<void>(call());
    } else if constexpr (IsStepValue<R>) {
        asi.add(call());
    } else if constexpr (isValues<R> && returned != Returned::refused) {
        Results values;
        call().giveTo(values);
        if constexpr (returned == Returned::kept) asi.keepReturned(values);
    } else if constexpr (Awaitable<R>) {
        if constexpr (checkAwaited<returned, R>()) {
            R awaitable = call();
            asi.watch(AwaitCall<R>::template ops<R>, &awaitable);
        }
    } else if constexpr (IsCoroutine<R>) {
        if constexpr (checkAwaited<returned, R>()) {
            R coroutine = call();
            asi.keepCoroutine(R::Root::ops(), &coroutine);
        }
    } else if constexpr (checkReturned<returned, decltype(call())>()) {
        if constexpr (returned == Returned::dropped) {
            static_cast<void>(call());
        } else {
            Results values;
            if constexpr (std::is_same_v<R, Results>) {
                values = call();
            } else {
                values.set(call());
            }
            asi.keepReturned(values);
        }
    }
}

}  // namespace steptree
