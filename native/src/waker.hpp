#pragma once

#include <node_api.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

namespace steptree::native {

/// Tells JavaScript, from any thread, that the tool has something to do. It may be told so when
/// JavaScript has gone.
class Waker {
  public:
    /// `pump` is what JavaScript calls then.
    Waker(napi_env env, napi_value pump) noexcept;
    Waker(const Waker&) = delete;
    Waker& operator=(const Waker&) = delete;
    ~Waker() = default;

    /// Any thread.
    void wake() noexcept;
    /// On JavaScript's thread: whoever wakes it is about to let the tool run himself.
    class Hush {
      public:
        explicit Hush(Waker& waker) noexcept : waker_(waker), before_(waker.hushed_) {
            waker_.hushed_ = true;
        }
        Hush(const Hush&) = delete;
        Hush& operator=(const Hush&) = delete;
        ~Hush() { waker_.hushed_ = before_; }

      private:
        Waker& waker_;
        bool before_;
    };
    /// Whether it holds the process.
    void hold(bool holds) noexcept;
    /// How often it has told.
    std::uint64_t wakes() const noexcept { return wakes_; }
    /// JavaScript goes.
    void end() noexcept;

  private:
    napi_env env_;
    const std::thread::id owner_ = std::this_thread::get_id();
    bool hushed_ = false;  // on the owner's thread only
    bool holds_ = false;
    std::atomic<std::uint64_t> wakes_{0};
    std::mutex mutex_;
    napi_threadsafe_function function_ = nullptr;  // null: it has gone
};

}  // namespace steptree::native
