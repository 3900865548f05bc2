#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/detail/poolbatch.hpp"
#include "steptree/detail/pooltask.hpp"
#include "steptree/pooloptions.hpp"
#include "steptree/promise.hpp"

namespace steptree {

namespace detail {
class PoolCore;
}

/// Threads for what blocks or computes, so that no event loop has to: `asi.await(pool.run(fn))`
/// waits for it in a step, without blocking, and goes on on the flow's own loop. A cancel, timeout
/// or error of that flow drops the task, or stops it if it takes a std::stop_token.
///
/// Link steptree::pool. All calls may be made on any thread, also by tasks. What one thread hands
/// in starts in that order, as far as it is of one priority and one sub-pool. Tasks that wait for
/// others in get() can use up all threads: return a future instead.
///
/// Destruction is shutdown(Shutdown::drop). By a task: waits for nobody, what runs goes on.
/// Guide: docs/waiting.md#event-loops
///
///     ThreadPool pool(4);
///     asi.await(pool.run([] { return std::string("computed"); }));
class STEPTREE_VISIBLE ThreadPool {
  public:
    /// What becomes of the tasks that haven't started.
    enum class Shutdown { drain, drop };

    explicit ThreadPool(PoolOptions options = {});
    explicit ThreadPool(int threads) : ThreadPool(PoolOptions{.threads = threads}) {}
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    ~ThreadPool();

    /// Runs `fn()`, or `fn(std::stop_token)` if it can be called so, on one of the threads. The
    /// future gets what it returns or throws, on that thread; if it returns a future, what that
    /// gets, while the thread is free for others.
    ///
    /// Future::cancel(): a task that hasn't started is dropped at once, and fails with `Canceled`;
    /// one that runs is asked to stop, as far as it takes a token, one that has returned a future
    /// cancels that; both settle when they have ended. `fn` is destroyed before it settles. In a
    /// co_await g++ before 13 breaks captures by value, see Task.
    ///
    /// It fails with `Closed` after shutdown(), `InternalError` for an unknown sub-pool or a
    /// sub-pool and a thread, `Canceled` if shutdown() drops it.
    ///
    ///     Future<int> size = pool.run([](std::stop_token) { return 42; });
    template <class F>
    auto run(F&& fn, const TaskOptions& options = {}) {
        auto task = detail::PoolTask<std::decay_t<F>>::make(std::forward<F>(fn));
        auto future = task->future();
        try {
            hand(task, options);
        } catch (...) {
            task->refuse(std::current_exception());
        }
        return future;
    }

    /// run() of `fn(args...)`, which are copied or moved as std::thread does.
    template <class F, class... A>
    requires std::is_invocable_v < std::decay_t<F>
    &, std::decay_t<A>&... > auto post(F&& fn, A&&... args) {
        return run([fn = std::decay_t<F>(std::forward<F>(fn)),
                    args = std::tuple<std::decay_t<A>...>(std::forward<A>(args)...)]() mutable {
            return std::apply(fn, args);
        });
    }

    /// The same without a future, and cheaper; the token is stopped by shutdown(Shutdown::drop)
    /// only. For exceptions see PoolOptions::report. What run() fails with is thrown here.
    template <class F>
    void runAndForget(F&& fn, const TaskOptions& options = {}) {
        hand(std::make_shared<detail::ForgottenTask<std::decay_t<F>>>(std::forward<F>(fn)),
             options);
    }

    /// A task `fn(item)`, or `fn(std::stop_token, item)`, for each item of a range, a copy of which
    /// is kept; `fn` is called on several threads at a time. The future gets a std::vector of what
    /// they return, in the order of the range; nothing if they return nothing.
    ///
    /// The first exception is what it fails with; it, and Future::cancel(), drop the tasks that
    /// haven't started and ask the others to stop. It settles when none of them runs any more.
    /// Otherwise as run().
    template <class Range, class F>
    auto runSequence(Range&& range, F&& fn, const TaskOptions& options = {}) {
        return runClusters(std::forward<Range>(range), std::forward<F>(fn), 1, options);
    }

    /// The same, but `size` items after each other are one task; 0: as many tasks as threads().
    /// Negative: it fails with `InternalError`.
    template <class Range, class F>
    auto runClusters(Range&& range, F&& fn, int size = 0, const TaskOptions& options = {}) {
        auto batch = detail::makeBatch(std::forward<Range>(range), std::forward<F>(fn));
        auto future = batch->future();
        batch->start(size, threads(),
                     [&](std::shared_ptr<detail::PoolJob> job) { hand(std::move(job), options); });
        return future;
    }

    /// How many threads take tasks, from now on. Fewer: those that have a task end it first. 0:
    /// paused, bound tasks too; once this has returned none is taken any more, all wait. Doesn't
    /// wait for what runs. Negative: `InternalError`. After shutdown(): `Closed`. A thread that the
    /// system refuses: std::system_error, those that could be started stay.
    void resize(int threads);

    /// What resize() was given last; 0 after shutdown().
    int threads() const noexcept;

    /// How many tasks haven't been taken by a thread. One that was cancelled counts until then.
    std::size_t waiting() const noexcept;

    /// Makes a sub-pool, or changes its capacity: at most so many of the tasks with its name run at
    /// a time, the others wait, and take no thread. Fewer: those that run end first. 0: its tasks
    /// wait. Negative, or without a name: `InternalError`. After shutdown(): `Closed`.
    void subpool(std::string_view name, int capacity);

    /// From now on nothing is taken in. `drain`: all that waits is run first; a pool or sub-pool
    /// that is paused goes on with one thread. `drop`: what waits fails with `Canceled`, the tokens
    /// of what runs are stopped. Waits for all threads; if it is called by a task, for none. Again:
    /// waits as well; `drop` after `drain` drops what is left.
    void shutdown(Shutdown how);

  private:
    /// Throws what run() fails with.
    void hand(std::shared_ptr<detail::PoolJob> job, const TaskOptions& options);

    std::shared_ptr<detail::PoolCore> core_;
};

}  // namespace steptree
