#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "steptree/detail/function.hpp"
#include "steptree/error.hpp"
#include "steptree/failure.hpp"
#include "steptree/promise.hpp"

namespace steptree::detail {

/// What the pool has for its tasks.
struct PoolHooks {
    std::stop_source stop;
    Function<void(std::exception_ptr)> report;
};

/// A task that waits in a pool. It is run or dropped, once.
class PoolJob {
  public:
    PoolJob() = default;
    PoolJob(const PoolJob&) = delete;
    PoolJob& operator=(const PoolJob&) = delete;
    virtual ~PoolJob() = default;

    /// False: it was dropped before.
    bool start(PoolHooks& hooks) noexcept {
        if (!claim()) return false;
        run(hooks);
        return true;
    }

    /// False: it has started, or was dropped before.
    bool drop(const std::exception_ptr& error) noexcept {
        if (!claim()) return false;
        dropped(error);
        return true;
    }

  private:
    bool claim() noexcept { return !claimed_.exchange(true, std::memory_order_acq_rel); }

    virtual void run(PoolHooks& hooks) noexcept = 0;
    virtual void dropped(const std::exception_ptr& error) noexcept = 0;

    std::atomic<bool> claimed_{false};
};

inline std::exception_ptr cancelled(std::string_view why = {}) {
    return std::make_exception_ptr(StepError(errors::Canceled, why));
}

/// Whether `F` wants the token before its other arguments.
template <class F, class... A>
inline constexpr bool takesToken = std::is_invocable_v<F&, std::stop_token, A...>;

template <class F, class... A>
decltype(auto) callWithToken(F& fn, const std::stop_source& stop, A&&... args) {
    if constexpr (takesToken<F, A...>) {
        return std::invoke(fn, stop.get_token(), std::forward<A>(args)...);
    } else {
        return std::invoke(fn, std::forward<A>(args)...);
    }
}

template <class F, class... A>
using PoolResult = std::decay_t<decltype(callWithToken(
    std::declval<F&>(), std::declval<const std::stop_source&>(), std::declval<A>()...))>;

/// A source for a function that takes no token costs nothing.
template <bool Takes>
std::stop_source sourceFor() {
    if constexpr (Takes) return std::stop_source();
    return std::stop_source(std::nostopstate);
}

template <class F>
class ForgottenTask final : public PoolJob {
  public:
    template <class G>
    explicit ForgottenTask(G&& fn) : fn_(std::in_place, std::forward<G>(fn)) {}

  private:
    void run(PoolHooks& hooks) noexcept override {
        try {
            callWithToken(*fn_, hooks.stop);
        } catch (...) {
            if (hooks.report) hooks.report(std::current_exception());
        }
        fn_.reset();
    }
    void dropped(const std::exception_ptr&) noexcept override { fn_.reset(); }

    std::optional<F> fn_;
};

template <class R>
concept FutureLike = requires(R& r) {
    r.get();
    r.cancel();
    r.onSettled([](auto&) {});
};

/// The value of the future that a task has returned, or of what it has returned.
template <class R>
struct SettledAs {
    using Type = R;
};
template <FutureLike R>
struct SettledAs<R> {
    using Type = std::decay_t<decltype(std::declval<const R&>().get())>;
};

/// Of a future with failures of the program's own: whether the pool can tell its own what went
/// wrong.
template <class R>
inline constexpr bool FailsWithException = true;
template <class R>
requires FutureLike<R> && requires {
    typename R::Failure;
}
inline constexpr bool FailsWithException<R> = ToException<typename R::Failure>;

/// The future that a task has returned. Cancelled is what was cancelled before it was known, too.
template <class R>
class Continuation {
  public:
    void keep(const R& future) {
        const std::lock_guard lock(mutex_);
        future_ = future;
    }
    void forget() {
        std::optional<R> old;
        const std::lock_guard lock(mutex_);
        old.swap(future_);
    }
    bool cancelled() const {
        const std::lock_guard lock(mutex_);
        return cancelled_;
    }
    void cancel() {
        std::optional<R> future;
        {
            const std::lock_guard lock(mutex_);
            cancelled_ = true;
            future = future_;
        }
        if (future) future->cancel();
    }

  private:
    mutable std::mutex mutex_;
    bool cancelled_ = false;
    std::optional<R> future_;
};

struct NoContinuation {
    void cancel() noexcept {}
};

template <class F>
class PoolTask final : public PoolJob, public std::enable_shared_from_this<PoolTask<F>> {
    static constexpr bool kToken = takesToken<F>;
    using R = PoolResult<F>;
    using T = typename SettledAs<R>::Type;
    static_assert(FailsWithException<R>,
                  "a task's future has to fail with an exception: FailureTraits<E> has to be "
                  "specialized, with toException(const E&)");

  public:
    template <class G>
    static std::shared_ptr<PoolTask> make(G&& fn) {
        auto task = std::make_shared<PoolTask>(std::forward<G>(fn), 0);
        task->promise_.onCancel([weak = std::weak_ptr(task)] {
            if (const auto self = weak.lock()) self->cancel();
        });
        return task;
    }

    /// For make().
    template <class G>
    PoolTask(G&& fn, int) : fn_(std::in_place, std::forward<G>(fn)) {}

    Future<T> future() const { return promise_.future(); }

    void refuse(const std::exception_ptr& error) noexcept { drop(error); }

  private:
    void cancel() {
        if (drop(cancelled())) return;
        stop_.request_stop();
        continuation_.cancel();
    }

    void run(PoolHooks& hooks) noexcept override {
        try {
            if constexpr (kToken) {
                const std::stop_callback chain(hooks.stop.get_token(),
                                               [this] { stop_.request_stop(); });
                end();
            } else {
                end();
            }
        } catch (...) {
            fn_.reset();
            promise_.fail(std::current_exception());
        }
    }

    void end() {
        if constexpr (std::is_void_v<R>) {
            callWithToken(*fn_, stop_);
            fn_.reset();
            promise_.success();
        } else {
            R result = callWithToken(*fn_, stop_);
            fn_.reset();
            if constexpr (FutureLike<R>) {
                follow(std::move(result));
            } else {
                promise_.success(std::move(result));
            }
        }
    }

    template <class X>
    void follow(X future) {
        continuation_.keep(future);
        if (continuation_.cancelled()) future.cancel();
        future.onSettled([self = this->shared_from_this()](auto& settled) {
            self->continuation_.forget();
            self->settleAs(std::decay_t<decltype(settled)>(settled));
        });
    }

    template <class X>
    void settleAs(X future) noexcept {
        try {
            if constexpr (std::is_void_v<T>) {
                future.get();
                promise_.success();
            } else if constexpr (copyable<T>()) {
                promise_.success(std::as_const(future).get());
            } else {
                promise_.success(std::move(future).get());
            }
        } catch (...) {
            promise_.fail(std::current_exception());
        }
    }

    void dropped(const std::exception_ptr& error) noexcept override {
        fn_.reset();
        promise_.fail(error);
    }

    std::optional<F> fn_;
    Promise<T> promise_;
    std::stop_source stop_ = sourceFor<kToken>();
    [[no_unique_address]] std::conditional_t<FutureLike<R>, Continuation<R>, NoContinuation>
        continuation_;
};

}  // namespace steptree::detail
