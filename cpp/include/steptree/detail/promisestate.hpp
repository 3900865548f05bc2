#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "steptree/detail/function.hpp"
#include "steptree/error.hpp"

namespace steptree::detail {

/// What a promise and its futures share. Callbacks and hooks run without the lock.
template <class T>
class PromiseState {
  public:
    using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
    using Callback = Function<void()>;

    template <class... V>
    bool success(V&&... value) {
        return settle([&] { value_.emplace(std::forward<V>(value)...); });
    }

    bool fail(std::exception_ptr error) {
        if (error == nullptr) {
            throw StepError(errors::InternalError, "fail: expected an exception, got null");
        }
        return settle([&] { error_ = std::move(error); });
    }

    void whenSettled(Callback callback) {
        {
            const std::lock_guard lock(mutex_);
            if (!settled_) {
                callbacks_.push_back(std::move(callback));
                return;
            }
        }
        callback();
    }

    void setCancelHook(Callback hook) {
        const std::lock_guard lock(mutex_);
        if (!settled_) std::swap(cancelHook_, hook);
    }

    void cancel() {
        Callback hook;
        {
            const std::lock_guard lock(mutex_);
            if (settled_ || cancelled_) return;
            cancelled_ = true;
            hook = std::move(cancelHook_);
        }
        if (hook) {
            hook();
        } else {
            fail(std::make_exception_ptr(StepError(errors::Canceled)));
        }
    }

    bool settled() const {
        const std::lock_guard lock(mutex_);
        return settled_;
    }

    void wait() const {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return settled_; });
    }

    template <class Rep, class Period>
    bool waitFor(std::chrono::duration<Rep, Period> longest) const {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, longest, [this] { return settled_; });
    }

    /// Once it has settled, both stay as they are.
    Value& value() { return *value_; }
    const std::exception_ptr& error() const { return error_; }

  private:
    template <class Store>
    bool settle(Store&& store) {
        std::vector<Callback> callbacks;
        Callback hook;
        {
            const std::lock_guard lock(mutex_);
            if (settled_) return false;
            store();
            settled_ = true;
            callbacks.swap(callbacks_);
            hook = std::move(cancelHook_);
            changed_.notify_all();
        }
        [&]() noexcept {
            for (Callback& callback : callbacks) callback();
        }();
        return true;
    }

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    bool settled_ = false;
    bool cancelled_ = false;
    std::optional<Value> value_;
    std::exception_ptr error_;
    std::vector<Callback> callbacks_;
    Callback cancelHook_;
};

}  // namespace steptree::detail
