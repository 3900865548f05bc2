#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "steptree/caller.hpp"
#include "steptree/detail/function.hpp"

namespace steptree::detail {

/// Whom a tool tells that it is to be woken, and what its callbacks have thrown. Any thread.
class ToolHooks {
  public:
    using ErrorHook = Function<void(std::exception_ptr)>;

    ToolHooks() noexcept = default;
    ToolHooks(const ToolHooks&) = delete;
    ToolHooks& operator=(const ToolHooks&) = delete;

    /// `wake` must only signal. Whether it is one.
    bool onWake(Function<void()> wake);
    void wake() noexcept {
        if (wakes_.load(std::memory_order_acquire)) callWake();
    }

    /// `caller` is for a tool that several threads drive; set before any other uses the tool.
    void onCaller(Function<Caller()> caller) { caller_ = std::move(caller); }
    bool asksCaller() const noexcept { return static_cast<bool>(caller_); }
    Caller caller() const noexcept { return caller_ ? caller_() : Caller::outside; }

    void onError(ErrorHook hook);
    void failed(std::exception_ptr error) noexcept;

  private:
    void callWake() noexcept;

    std::mutex mutex_;  // not held while onError_ runs
    Function<void()> wake_;
    std::atomic<bool> wakes_{false};  // there is a wake_
    std::shared_ptr<ErrorHook> onError_;
    mutable Function<Caller()> caller_;
};

}  // namespace steptree::detail
