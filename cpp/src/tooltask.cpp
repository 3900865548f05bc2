#include "tooltask.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "fast.hpp"

namespace steptree::detail {

namespace {

struct ReadyTask final : RunNode, ToolTask {
    ReadyTask(ToolCore& core, std::uint32_t bits, Tool::Callback&& callback) noexcept
        : ToolTask(core, bits, std::move(callback)) {
        run = &called;
    }
    static void called(RunNode* node) noexcept {
        auto& task = static_cast<ReadyTask&>(*node);
        ToolCore& core = task.core_;
        task.call();
        core.ran(std::min(1U, core.mayRun()));
    }
};

struct TimedTask final : TimerNode, ToolTask {
    TimedTask(ToolCore& core, std::uint32_t bits, std::int64_t delay,
              Tool::Callback&& callback) noexcept
        : ToolTask(core, bits, std::move(callback)) {
        due = delay;
        fire = &called;
    }
    static void called(TimerNode* node) noexcept { static_cast<TimedTask&>(*node).call(); }
};

constexpr std::size_t kSmall = BlockPool::kSizes[BlockPool::kTask];
constexpr std::size_t kLargestTask = BlockPool::kSizes[BlockPool::kLargeTask];
static_assert(sizeof(ReadyTask) + sizeof(void*) <= kSmall);
static_assert(sizeof(TimedTask) + sizeof(void*) <= kSmall);
static_assert(sizeof(TimedTask) + Tool::Callback::kSize <= kLargestTask);

/// What was a task, on its way back. A tool that has gone frees its pool as a whole.
template <std::size_t sizeClass>
void returned(ToolCore& core, RemoteNode* node, bool alive) noexcept {
    if (alive) core.blocks.give(node, sizeClass);
}

}  // namespace

/// Brings to the tool's thread what has been done with a task on another.
struct ToolTask::Letter : RemoteNode {
    Letter(ToolTask& task, void (*deliver)(ToolCore&, RemoteNode*, bool) noexcept) noexcept
        : task(task) {
        this->deliver = deliver;
    }

    static void started(ToolCore&, RemoteNode* node, bool alive) noexcept {
        ToolTask& task = static_cast<Letter*>(node)->task;
        const bool pending = (task.clear(kPosted, false) & kPending) != 0;
        if (alive && pending) {
            task.schedule();
        } else {
            task.drop();
        }
    }
    static void cancelled(ToolCore&, RemoteNode* node, bool alive) noexcept {
        const std::unique_ptr<Letter> letter(static_cast<Letter*>(node));
        // A tool that closes drops by itself what it holds; this may be another thread then.
        if (alive && letter->task.unlink()) letter->task.drop();
        letter->task.letGo(kOrder, false);
    }

    ToolTask& task;
};

inline ToolTask* ToolTask::make(void* memory, ToolCore& core, std::uint32_t bits,
                                std::int64_t delay, Tool::Callback&& callback) noexcept {
    bits |= kPending | kHandle | kTool;
    if (delay == kImmediate) return ::new (memory) ReadyTask(core, bits, std::move(callback));
    return ::new (memory) TimedTask(core, bits | kTimed, delay, std::move(callback));
}

ToolTask* ToolTask::start(ToolCore& core, std::int64_t delay, Tool::Callback&& callback) {
    if (!core.onOwnThread() || core.blocks.isReplaced()) [[unlikely]] {
        return startOnHeap(core, delay, std::move(callback));
    }
    const bool large = callback.table().size > sizeof(void*);
    void* const memory = core.blocks.take(large ? BlockPool::kLargeTask : BlockPool::kTask);
    ToolTask* const task =
        make(memory, core, large ? std::uint32_t{kLarge} : 0U, delay, std::move(callback));
    task->schedule();
    return task;
}

/// With the letter that announces it, if it is made on another thread than the tool's.
ToolTask* ToolTask::startOnHeap(ToolCore& core, std::int64_t delay, Tool::Callback&& callback) {
    const bool here = core.onOwnThread();
    char* const memory = static_cast<char*>(::operator new(kLargestTask + sizeof(Letter)));
    ToolTask* const task = make(memory, core, kHeap | (here ? 0U : std::uint32_t{kPosted}), delay,
                                std::move(callback));
    if (here) {
        task->schedule();
    } else {
        core.postRemote(*::new (memory + kLargestTask) Letter(*task, &Letter::started));
    }
    return task;
}

void ToolTask::cancel() noexcept {
    const std::uint32_t bits = bits_.load(std::memory_order_acquire);
    if ((bits & kPending) == 0) return;
    if (!core_.onOwnThread()) return cancelRemotely(bits);
    clear(kPending, (bits & kPosted) == 0);
    const bool linked = unlink();
    destroyCaptures();
    if (linked) letGo(kTool, true);
}

/// Short of memory for a letter it is dropped when it would have run.
void ToolTask::cancelRemotely(std::uint32_t bits) noexcept {
    std::unique_ptr<Letter> letter(new (std::nothrow) Letter(*this, &Letter::cancelled));
    while ((bits & kPending) != 0) {
        // One that has not arrived is dropped when it does.
        const std::uint32_t order =
            (bits & kPosted) != 0 || letter == nullptr ? 0U : std::uint32_t{kOrder};
        if (bits_.compare_exchange_weak(bits, (bits & ~std::uint32_t{kPending}) | order,
                                        std::memory_order_acq_rel, std::memory_order_acquire)) {
            if (order != 0) core_.postRemote(*letter.release());
            return;
        }
    }
}

void ToolTask::release() noexcept {
    letGo(kHandle, core_.onOwnThread());
}

bool ToolTask::isTask(const RunNode& node) noexcept {
    return node.run == &ReadyTask::called;
}

bool ToolTask::dropIfTask(RunNode& node) noexcept {
    if (!isTask(node)) return false;
    static_cast<ReadyTask&>(node).drop();
    return true;
}

void ToolTask::dropIfTask(TimerNode& node) noexcept {
    if (node.fire == &TimedTask::called) static_cast<TimedTask&>(node).drop();
}

inline void ToolTask::schedule() noexcept {
    if (!core_.alive()) {
        drop();
    } else if ((bits_.load(std::memory_order_relaxed) & kTimed) != 0) {
        auto& node = static_cast<TimedTask&>(*this);
        core_.arm(node, node.due);
    } else {
        core_.enqueue(static_cast<ReadyTask&>(*this));
    }
}

/// Whether the tool had it in its queue or its wheel.
inline bool ToolTask::unlink() noexcept {
    if ((bits_.load(std::memory_order_relaxed) & kTimed) != 0) {
        auto& node = static_cast<TimedTask&>(*this);
        if (!node.armed()) return false;
        core_.disarm(node);
    } else {
        auto& node = static_cast<ReadyTask&>(*this);
        if (!node.queued()) return false;
        core_.remove(node);
    }
    return true;
}

void ToolTask::call() noexcept {
    const bool alone = (bits_.load(std::memory_order_acquire) & kHandle) == 0;
    if ((clear(kPending, alone) & kPending) != 0) {
        try {
            table_->call(this + 1);
        } catch (...) {
            core_.failed(std::current_exception());
        }
    }
    drop();
}

/// The tool has done with it.
void ToolTask::drop() noexcept {
    const bool alone = (bits_.load(std::memory_order_acquire) & kReferences) == kTool;
    if (!alone) clear(kPending, false);
    destroyCaptures();
    letGo(kTool, alone);
}

inline void ToolTask::destroyCaptures() noexcept {
    const Tool::Callback::Table* const table = std::exchange(table_, nullptr);
    if (table != nullptr && table->destroy != nullptr) table->destroy(this + 1);
}

/// What it was before.
inline std::uint32_t ToolTask::clear(std::uint32_t bits, bool alone) noexcept {
    if (!kLoneTask || !alone) return bits_.fetch_and(~bits, std::memory_order_acq_rel);
    const std::uint32_t before = bits_.load(std::memory_order_relaxed);
    bits_.store(before & ~bits, std::memory_order_relaxed);
    return before;
}

inline void ToolTask::letGo(std::uint32_t reference, bool alone) noexcept {
    if ((clear(reference, alone) & ~reference & kReferences) == 0) free();
}

inline void* ToolTask::memory() noexcept {
    if ((bits_.load(std::memory_order_relaxed) & kTimed) != 0) return static_cast<TimedTask*>(this);
    return static_cast<ReadyTask*>(this);
}

inline void ToolTask::free() noexcept {
    ToolCore& core = core_;
    const std::uint32_t bits = bits_.load(std::memory_order_relaxed);
    void* const memory = this->memory();
    if ((bits & kHeap) == 0 && core.onOwnThread()) [[likely]] {
        core.blocks.give(memory, (bits & kLarge) != 0 ? BlockPool::kLargeTask : BlockPool::kTask);
    } else {
        freeRemote(core, memory, bits);
    }
    core.release();
}

void ToolTask::freeRemote(ToolCore& core, void* memory, std::uint32_t bits) noexcept {
    if ((bits & kHeap) != 0) return ::operator delete(memory);
    auto* node = ::new (memory) RemoteNode;
    node->deliver =
        (bits & kLarge) != 0 ? &returned<BlockPool::kLargeTask> : &returned<BlockPool::kTask>;
    core.postRemote(*node);
}

}  // namespace steptree::detail
