#pragma once

#include <atomic>
#include <cstdint>

#include "steptree/detail/toolcore.hpp"
#include "steptree/tool.hpp"

namespace steptree::detail {

/// A user's callback in a tool: a ReadyTask in the queue or a TimedTask in the wheel, with what it
/// captures behind. If that is a pointer, all of it is one cache line.
///
///     posted (in the inbox, if made on another thread) -> pending -> over (ran, cancelled,
///     dropped)
///
/// Its handle is used by one thread at a time. While that is the tool's own nobody competes, and
/// nothing needs an atomic operation. Whoever clears the last of kReferences frees the task.
class ToolTask {
  public:
    static constexpr std::int64_t kImmediate = -1;

    ToolTask(const ToolTask&) = delete;
    ToolTask& operator=(const ToolTask&) = delete;

    /// Any thread. What it returns is the handle's.
    static ToolTask* start(ToolCore& core, std::int64_t delay, Tool::Callback&& callback);

    void cancel() noexcept;  // the handle's thread
    bool pending() const noexcept {
        return (bits_.load(std::memory_order_acquire) & kPending) != 0;
    }
    void release() noexcept;  // the handle's thread

    static bool isTask(const RunNode& node) noexcept;
    /// For a tool that closes: what is a task among the nodes that it held is dropped, the engine's
    /// are left alone.
    static bool dropIfTask(RunNode& node) noexcept;
    static void dropIfTask(TimerNode& node) noexcept;

  protected:
    enum Bit : std::uint32_t {
        kPending = 1,  // is to run
        kHandle = 2,   // the handle refers to it
        kTool = 4,     // the tool does: in its queue, its wheel or the inbox
        kOrder = 8,    // a cancel of another thread does, on its way through the inbox
        kPosted = 16,  // has not arrived yet
        kReferences = kHandle | kTool | kOrder,
        // for its whole life
        kTimed = 32,
        kLarge = 64,  // of the pool's larger size
        kHeap = 128
    };

    ToolTask(ToolCore& core, std::uint32_t bits, Tool::Callback&& callback) noexcept
        : core_(core), bits_(bits), table_(callback.moveTo(this + 1)) {
        core.retain();
    }
    ~ToolTask() = default;

    void call() noexcept;

    ToolCore& core_;

  private:
    struct Letter;

    static ToolTask* startOnHeap(ToolCore& core, std::int64_t delay, Tool::Callback&& callback);
    static ToolTask* make(void* memory, ToolCore& core, std::uint32_t bits, std::int64_t delay,
                          Tool::Callback&& callback) noexcept;

    void schedule() noexcept;
    bool unlink() noexcept;
    void cancelRemotely(std::uint32_t bits) noexcept;
    void drop() noexcept;
    void destroyCaptures() noexcept;
    std::uint32_t clear(std::uint32_t bits, bool alone) noexcept;
    void letGo(std::uint32_t reference, bool alone) noexcept;
    void* memory() noexcept;
    void free() noexcept;
    static void freeRemote(ToolCore& core, void* memory, std::uint32_t bits) noexcept;

    std::atomic<std::uint32_t> bits_;
    const Tool::Callback::Table* table_;  // null: what it captures is destroyed
};

}  // namespace steptree::detail
