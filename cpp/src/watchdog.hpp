#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "held.hpp"
#include "steptree/detail/coreref.hpp"
#include "steptree/stallwatch.hpp"

/// A thread that says which body holds that of a tool, while it does; and that wakes the tool when
/// a wait has lasted: to who drives that, this is what comes from outside.
namespace steptree::detail {

class Watchdog : public std::enable_shared_from_this<Watchdog> {
  public:
    using Clock = std::chrono::steady_clock;

    /// `body`: in milliseconds; 0: it looks at none. `ring` is called on the tool's thread.
    Watchdog(ToolCore& core, std::int64_t body, Function<void(const StuckBody&)> onStuck);
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    ~Watchdog();
    /// Throws system_error if there can't be a thread.
    void start(std::weak_ptr<Stalls> stalls);

    // ---- the tool's thread
    void begins(Step& step, std::int64_t began) noexcept {
        held_.begins(step, began);
        if (rests_.load(std::memory_order_relaxed)) wake();
    }
    void ends() noexcept { held_.ends(); }
    /// In so many milliseconds it rings, once.
    void alarm(std::int64_t ms) noexcept;

    // ---- any thread
    /// Says and rings nothing more.
    void stop() noexcept;
    /// It calls nothing more when that returns, but for what calls this.
    void end() noexcept;

  private:
    void run();
    /// Says it of a body that is stuck. When it's to look again.
    Clock::time_point look(std::unique_lock<std::mutex>& lock);
    void say(std::unique_lock<std::mutex>& lock, std::int64_t began, std::int64_t now);
    void ring(std::unique_lock<std::mutex>& lock);
    void wake() noexcept;

    const CoreRef core_;
    const std::int64_t body_;  // ns
    Function<void(const StuckBody&)> onStuck_;
    std::weak_ptr<Stalls> stalls_;
    HeldBody held_;
    /// Nobody has called a body for a while: it's woken by the next one. That may be missed.
    std::atomic<bool> rests_{false};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    bool ended_ = true;  // it doesn't run, or calls nothing more
    Clock::time_point alarm_ = Clock::time_point::max();
    // ---- its own
    std::int64_t told_ = 0;  // when the last body began that was told
    std::uint64_t seen_ = 0;
    std::thread thread_;
};

}  // namespace steptree::detail
