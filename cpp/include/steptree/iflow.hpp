#pragma once

#include <exception>
#include <memory>
#include <stop_token>
#include <string_view>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/detail/adders.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/outcome.hpp"
#include "steptree/promise.hpp"
#include "steptree/snapshotoptions.hpp"
#include "steptree/state.hpp"

namespace steptree {

namespace detail {
template <class Flow, class Owner>
class Child;
class ToolCore;
}  // namespace detail
struct FlowSnapshot;

/// A flow: a root and everything under it; what `newInstance` returns and AsyncSteps is. It may be
/// made, filled, executed and destroyed on any one thread; all else happens on its tool's.
///
/// Once it has ended, in whatever way, it is idle: empty, with its state kept; it may be filled and
/// executed again. While it runs the adders throw InternalError. Destroying it cancels it.
/// Guide: docs/deadlines.md#cancelling-from-outside
///
///     flow.add(greet.with("Ann"));
///     flow.execute([](Outcome& outcome) { log(outcome.code); });
class STEPTREE_VISIBLE IFlow : public detail::Adders<IFlow> {
  public:
    /// What is told how the flow has ended.
    using Done = detail::Function<void(Outcome&)>;

    virtual ~IFlow() = default;

    /// Starts the flow: its first body runs from the tool. `done` is called once from the tool,
    /// when the flow is idle again; it is dropped if the flow or its tool is destroyed before.
    /// While running: InternalError. Guide: docs/errors.md#nothing-is-lost
    void execute() { start(nullptr, false); }
    void execute(Done done) { start(&done, false); }

    /// The same; the flow is cancelled when the signal is stopped, in that call if it's made on the
    /// tool's thread, else soon after. Stopped already, the flow is cancelled before its first
    /// body. Takes memory from the heap.
    void execute(std::stop_token signal) { startUntil(nullptr, false, std::move(signal)); }
    void execute(Done done, std::stop_token signal) { startUntil(&done, false, std::move(signal)); }

    /// Starts the flow. The future gets the first value of the last step, or the native exception
    /// that the flow failed with, or a StepError; `Canceled` after a cancel. T may be void for no
    /// value, or Results for all of them. Guide: docs/waiting.md#promises-and-futures
    ///
    ///     Future<std::string> page = flow.add(profile.with(42)).promise<std::string>();
    template <class T = void>
    [[nodiscard("an error is lost with the future: execute() has none")]] Future<T> promise() {
        Promise<T> promise;
        promise.settledBy(settler());
        Future<T> future = promise.future();
        Done done = settling(std::move(promise));
        start(&done, true);
        return future;
    }
    /// The same, as execute() with a signal.
    template <class T = void>
    [[nodiscard("an error is lost with the future: execute() has none")]] Future<T> promise(
        std::stop_token signal) {
        Promise<T> promise;
        promise.settledBy(settler());
        Future<T> future = promise.future();
        Done done = settling(std::move(promise));
        startUntil(&done, true, std::move(signal));
        return future;
    }

    /// For run(), which starts flows by itself: what settles the promise, and that at once.
    template <class T>
    static Done settling(Promise<T> promise) {
        return
            [promise = std::move(promise)](Outcome& outcome) mutable { settle(promise, outcome); };
    }
    /// The same, of one that is there.
    template <class T>
    static void settle(Promise<T>& promise, Outcome& outcome) {
        if (outcome.kind != OutcomeKind::ok) {
            promise.fail(outcome.error);
        } else if constexpr (std::is_void_v<T>) {
            promise.success();
        } else if constexpr (std::is_same_v<T, Results>) {
            promise.success(std::move(outcome.values));
        } else {
            try {
                promise.success(std::move(outcome.values.at<T>(0)));
            } catch (...) {
                promise.fail(std::current_exception());
            }
        }
    }

    /// Ends the flow without calling error handlers: all cancel handlers have run when it returns,
    /// unless it is called inside one of the flow's own bodies or handlers, or inside another
    /// flow's cancel handler: then it is performed right after. Before `execute`: empties the
    /// queue. On another thread than the tool's it waits for that; InternalError if nobody has
    /// driven the tool yet. Guide: docs/deadlines.md#cancelling-from-outside
    ///
    ///     flow.cancel("shutdown");
    virtual void cancel(std::string_view reason = {}) = 0;

    /// From `execute` until the flow is idle. Any thread; but on another than the tool's, only
    /// `done` or the promise says that the flow may be filled again. A flow whose tool has gone
    /// meanwhile stays as it was: nothing of it runs, and nothing can be added.
    virtual bool running() const noexcept = 0;

    /// Settles when nothing of the flow is open any more, whatever became of it; from the tool,
    /// like `done` and after it. On another thread than the tool's it waits for that, like
    /// cancel(). Of a plug-in whose steps it has run the flow holds no more than values of its
    /// state then. Guide: docs/deadlines.md#what-takes-time-to-stop
    ///
    ///     flow.cancel();
    ///     flow.closed().wait();  // on another thread: its cleanups have ended, too
    Future<void> closed() {
        Promise<void> promise;
        promise.settledBy(settler());
        Future<void> future = promise.future();
        whenClosed([promise = std::move(promise)](Outcome&) mutable { promise.success(); });
        return future;
    }

    /// Cancels this run of the flow, or the next one if it is idle now, from any thread; a flow
    /// that is idle or gone is left alone, and so are later runs. On another thread than the tool's
    /// taking one waits for that, as cancel() does, so not under a lock that a body takes; using it
    /// never waits. Guide: docs/cpp.md#threads
    ///
    ///     std::thread([stop = flow.canceller()] { stop.cancel("late"); }).detach();
    virtual Canceller canceller() = 0;

    /// What the flow is doing now, as plain data: its open steps, and what each of its lines waits
    /// for. At any time; nothing is paid for it before it is asked. While it runs, on another
    /// thread than the tool's: InternalError. Include "steptree/snapshot.hpp".
    /// Guide: docs/hangs.md#find-it-what-each-waits-for
    ///
    ///     std::cerr << snapshotText(flow.snapshot()) << std::endl;
    virtual FlowSnapshot snapshot(const SnapshotOptions& options = {}) = 0;

    /// An independent flow of the same tool, burst and hooks, with a state of its own. While this
    /// one runs, on another thread than the tool's: InternalError.
    virtual std::unique_ptr<IFlow> newInstance() = 0;

    /// While the flow runs, on another thread than the tool's: InternalError.
    /// Guide: docs/values.md#for-the-whole-flow
    virtual State& state() = 0;
    /// The value of that key, made from `init` if there is none.
    template <class T>
    T& state(std::string_view key, T init = {}) {
        return state().template get<T>(key, std::move(init));
    }

  private:
    template <class Flow, class Owner>
    friend class detail::Child;

    virtual void start(Done* done, bool isPromise) = 0;
    virtual void startUntil(Done* done, bool isPromise, std::stop_token signal) = 0;
    virtual void whenClosed(Done told) = 0;
    virtual detail::Settler settler() const noexcept = 0;
};

/// An independent flow of the same tool, burst and hooks, with a state of its own.
/// Guide: docs/deadlines.md#cancelling-from-outside
///
///     std::unique_ptr<IFlow> other = newInstance(asi);
inline std::unique_ptr<IFlow> newInstance(IAsyncSteps& asi) {
    return std::unique_ptr<IFlow>(asi.makeFlow());
}

}  // namespace steptree
