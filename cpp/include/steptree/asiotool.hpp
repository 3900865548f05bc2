#pragma once

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "steptree/asynctool.hpp"

namespace steptree {

/// Runs a tool inside an asio::io_context, so that flows, sockets and timers share one thread: the
/// one, and only one, that runs the io_context. Handlers of that io_context may use flows and
/// completions directly. Needs standalone Asio; nothing else in steptree does.
///
/// The io_context is kept running by armed timers and by what is ready, not by a tool that merely
/// waits for completions: sockets, or a work guard of yours, do that. Make and destroy it where
/// nothing else runs the io_context at that moment, or in one of its handlers.
class AsioTool {
  public:
    /// `pool`: see IMemPool; null: the tool's own.
    explicit AsioTool(asio::io_context& io, IMemPool* pool = nullptr)
        : loop_(std::make_shared<Loop>(io)) {
        loop_->tool.emplace(
            AsyncTool::Driven{.wake = [loop = loop_.get()] { loop->post(); }, .pool = pool});
        loop_->post();  // the thread that runs the io_context becomes the tool's
    }
    AsioTool(const AsioTool&) = delete;
    AsioTool& operator=(const AsioTool&) = delete;

    /// Drops what is pending, unrun. [tool-30]
    ~AsioTool() {
        loop_->tool.reset();
        loop_->timer.cancel();
    }

    /// What flows are made with.
    AsyncTool& tool() noexcept { return *loop_->tool; }

  private:
    // Handlers that are still in the io_context keep it, and find the tool gone.
    struct Loop : std::enable_shared_from_this<Loop> {
        explicit Loop(asio::io_context& context) : io(context), timer(context) {}

        void post() {
            if (posted.exchange(true, std::memory_order_acq_rel)) return;
            asio::post(io, [self = shared_from_this()] { self->iterate(); });
        }

        void iterate() {
            posted.store(false, std::memory_order_release);
            if (!tool) return;
            const AsyncTool::Left left = tool->iterate();
            if (!tool) return;
            if (left.delay == 0) {
                post();
            } else if (left.delay == AsyncTool::kNever) {
                if (std::exchange(armed, kNotArmed) != kNotArmed) timer.cancel();
            } else {
                sleep(left.delay);
            }
        }

        /// A wait that ends earlier than it has to only looks again; arming it anew costs more.
        void sleep(std::int64_t ms) {
            // Far timers are looked at once a day, which keeps the clock's range out of the way.
            const auto delay = std::chrono::milliseconds(std::min<std::int64_t>(ms, 86'400'000));
            const Time due = asio::steady_timer::clock_type::now() + delay;
            if (due >= armed) return;
            armed = due;
            timer.expires_at(due);
            timer.async_wait([self = shared_from_this()](const asio::error_code& error) {
                if (error) return;
                self->armed = kNotArmed;
                self->iterate();
            });
        }

        using Time = asio::steady_timer::time_point;
        static constexpr Time kNotArmed = Time::max();

        asio::io_context& io;
        asio::steady_timer timer;
        Time armed = kNotArmed;  // when `timer` ends
        std::atomic<bool> posted{false};
        std::optional<AsyncTool> tool;
    };

    std::shared_ptr<Loop> loop_;
};

}  // namespace steptree
