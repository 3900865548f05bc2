#include "task.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace steptree::detail {

namespace {

struct ReadyTask final : Task, RunNode {
    ReadyTask(ToolCore& core, bool pooled, Tool::Callback&& callback) noexcept
        : Task(core, false, pooled, std::move(callback)) {
        run = &called;
    }
    static void called(RunNode* node) noexcept { static_cast<ReadyTask&>(*node).call(true); }
};

struct TimedTask final : Task, TimerNode {
    TimedTask(ToolCore& core, std::int64_t delay, bool pooled, Tool::Callback&& callback) noexcept
        : Task(core, true, pooled, std::move(callback)) {
        due = delay;
        fire = &called;
    }
    static void called(TimerNode* node) noexcept { static_cast<TimedTask&>(*node).call(false); }
};

static_assert(std::max(sizeof(ReadyTask), sizeof(TimedTask)) <= TaskPool::kSize);

/// What was a task, on its way back. A tool that has gone frees its pool as a whole.
void returned(ToolCore& core, RemoteNode* node, bool alive) noexcept {
    if (alive) core.tasks.give(node);
}

}  // namespace

Task::Task(ToolCore& core, bool timed, bool pooled, Tool::Callback&& callback) noexcept
    : core_(core),
      bits_(kPending | kHandle | kTool | (core.onOwnThread() ? 0U : kPosted)),
      timed_(timed),
      pooled_(pooled),
      callback_(std::move(callback)) {
    deliver = &Task::arrived;
    core.retain();
}

Task* Task::start(ToolCore& core, std::int64_t delay, Tool::Callback&& callback) {
    const bool here = core.onOwnThread();
    const bool pooled = here && !core.blocks.isReplaced();
    void* memory = pooled ? core.tasks.take() : ::operator new(TaskPool::kSize);
    Task* task = nullptr;
    if (delay == kImmediate) {
        task = ::new (memory) ReadyTask(core, pooled, std::move(callback));
    } else {
        task = ::new (memory) TimedTask(core, delay, pooled, std::move(callback));
    }
    if (here) {
        task->schedule();
    } else {
        core.postRemote(*task);
    }
    return task;
}

void Task::cancel() noexcept {
    std::uint32_t bits = bits_.load(std::memory_order_acquire);
    if (core_.onOwnThread()) {
        if ((bits & kPending) == 0) return;
        clear(kPending, (bits & kPosted) == 0);
        callback_.reset();
        if (unlink()) letGo(kTool, true);
        return;
    }
    while ((bits & kPending) != 0) {
        const std::uint32_t order = (bits & kPosted) != 0 ? 0U : kOrder;
        if (bits_.compare_exchange_weak(bits, (bits & ~std::uint32_t{kPending}) | order,
                                        std::memory_order_acq_rel, std::memory_order_acquire)) {
            if (order == 0) return;  // it is dropped when it arrives
            deliver = &Task::cancelArrived;
            core_.postRemote(*this);
            return;
        }
    }
}

void Task::release() noexcept {
    letGo(kHandle, core_.onOwnThread());
}

bool Task::dropIfTask(RunNode& node) noexcept {
    if (node.run != &ReadyTask::called) return false;
    static_cast<ReadyTask&>(node).drop();
    return true;
}

bool Task::dropIfTask(TimerNode& node) noexcept {
    if (node.fire != &TimedTask::called) return false;
    static_cast<TimedTask&>(node).drop();
    return true;
}

void Task::arrived(ToolCore&, RemoteNode* node, bool alive) noexcept {
    auto& task = static_cast<Task&>(*node);
    const bool pending = (task.clear(kPosted, false) & kPending) != 0;
    if (alive && pending) {
        task.schedule();
    } else {
        task.drop();
    }
}

void Task::cancelArrived(ToolCore&, RemoteNode* node, bool alive) noexcept {
    auto& task = static_cast<Task&>(*node);
    // A tool that closes drops by itself what it holds; this may be another thread then.
    if (alive && task.unlink()) task.drop();
    task.letGo(kOrder, false);
}

void Task::schedule() noexcept {
    if (!core_.alive()) {
        drop();
    } else if (timed_) {
        auto& node = static_cast<TimedTask&>(*this);
        core_.arm(node, node.due);
    } else {
        core_.enqueue(static_cast<ReadyTask&>(*this));
    }
}

bool Task::unlink() noexcept {
    if (timed_) {
        auto& node = static_cast<TimedTask&>(*this);
        const bool linked = node.armed();
        core_.disarm(node);
        return linked;
    }
    auto& node = static_cast<ReadyTask&>(*this);
    const bool linked = node.queued();
    core_.remove(node);
    return linked;
}

void Task::call(bool counts) noexcept {
    if (counts) core_.ran(std::min(1U, core_.mayRun()));
    const bool alone = (bits_.load(std::memory_order_acquire) & kHandle) == 0;
    if ((clear(kPending, alone) & kPending) != 0) {
        try {
            callback_();
        } catch (...) {
            core_.failed(std::current_exception());
        }
    }
    drop();
}

/// The tool has done with it.
void Task::drop() noexcept {
    const bool alone = (bits_.load(std::memory_order_acquire) & kReferences) == kTool;
    if (!alone) clear(kPending, false);
    callback_.reset();
    letGo(kTool, alone);
}

/// What it was before.
std::uint32_t Task::clear(std::uint32_t bits, bool alone) noexcept {
    if (!alone) return bits_.fetch_and(~bits, std::memory_order_acq_rel);
    const std::uint32_t before = bits_.load(std::memory_order_relaxed);
    bits_.store(before & ~bits, std::memory_order_relaxed);
    return before;
}

void Task::letGo(std::uint32_t reference, bool alone) noexcept {
    if ((clear(reference, alone) & ~reference & kReferences) == 0) free();
}

void Task::free() noexcept {
    ToolCore& core = core_;
    const bool pooled = pooled_;
    this->~Task();
    if (!pooled) {
        ::operator delete(static_cast<void*>(this));
    } else if (core.onOwnThread()) {
        core.tasks.give(this);
    } else {
        auto* node = ::new (static_cast<void*>(this)) RemoteNode;
        node->deliver = &returned;
        core.postRemote(*node);
    }
    core.release();
}

}  // namespace steptree::detail
