#pragma once

#include <atomic>
#include <cstdint>

#include "steptree/detail/toolcore.hpp"
#include "steptree/tool.hpp"

namespace steptree::detail {

/// A user's callback in a tool. Counted: one reference for the tool while it is pending, one for
/// the handle, one for each way through the inbox. The node that leaves the queue, the wheel or the
/// inbox gives its reference back.
///
///     posted (in the inbox) -> scheduled (in the queue or the wheel) -> over (ran, cancelled or
///     dropped)
class Task final : public RunNode, public TimerNode, public RemoteNode {
  public:
    static constexpr std::int64_t kImmediate = -1;

    /// Any thread. The reference that it returns is the handle's.
    static Task* start(ToolCore& core, std::int64_t delay, Tool::Callback callback);

    void cancel() noexcept;  // any thread
    bool pending() const noexcept { return state_.load(std::memory_order_acquire) != State::over; }
    void release() noexcept;  // any thread

    /// For a tool that closes: what is a task among the nodes that it held is dropped, the engine's
    /// are left alone.
    static bool dropIfTask(RunNode& node) noexcept;
    static bool dropIfTask(TimerNode& node) noexcept;

  private:
    enum class State : std::uint8_t { posted, scheduled, over };

    Task(ToolCore& core, std::int64_t delay, Tool::Callback callback);
    ~Task() = default;

    static void run(RunNode* node) noexcept;
    static void fire(TimerNode* node) noexcept;
    static void arrived(ToolCore& core, RemoteNode* node, bool alive) noexcept;
    static void cancelArrived(ToolCore& core, RemoteNode* node, bool alive) noexcept;

    bool leave(State from) noexcept;
    void schedule() noexcept;
    bool unlink() noexcept;
    void call() noexcept;
    void drop() noexcept;

    CoreRef core_;
    Tool::Callback callback_;
    std::int64_t delay_;
    std::atomic<std::uint32_t> references_{2};
    std::atomic<State> state_{State::posted};
};

}  // namespace steptree::detail
