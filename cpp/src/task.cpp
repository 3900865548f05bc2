#include "task.hpp"

#include <algorithm>
#include <utility>

namespace steptree::detail {

Task::Task(ToolCore& core, std::int64_t delay, Tool::Callback callback)
    : core_(core), callback_(std::move(callback)), delay_(delay) {
    RunNode::run = &Task::run;
    TimerNode::fire = &Task::fire;
    RemoteNode::deliver = &Task::arrived;
}

Task* Task::start(ToolCore& core, std::int64_t delay, Tool::Callback callback) {
    auto* task = new Task(core, delay, std::move(callback));
    if (core.onOwnThread()) {
        task->schedule();
    } else {
        core.postRemote(*task);
    }
    return task;
}

void Task::cancel() noexcept {
    if (core_->onOwnThread()) {
        if (leave(State::scheduled)) {
            unlink();
            drop();
        } else if (leave(State::posted)) {
            callback_.reset();
        }
    } else if (!leave(State::posted) && leave(State::scheduled)) {
        references_.fetch_add(1, std::memory_order_relaxed);
        RemoteNode::deliver = &Task::cancelArrived;
        core_->postRemote(*this);
    }
}

void Task::release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

bool Task::dropIfTask(RunNode& node) noexcept {
    if (node.run != &Task::run) return false;
    auto& task = static_cast<Task&>(node);
    task.leave(State::scheduled);
    task.drop();
    return true;
}

bool Task::dropIfTask(TimerNode& node) noexcept {
    if (node.fire != &Task::fire) return false;
    auto& task = static_cast<Task&>(node);
    task.leave(State::scheduled);
    task.drop();
    return true;
}

void Task::run(RunNode* node) noexcept {
    auto* task = static_cast<Task*>(node);
    task->core_->ran(std::min(1U, task->core_->mayRun()));
    task->call();
}

void Task::fire(TimerNode* node) noexcept {
    static_cast<Task*>(node)->call();
}

void Task::arrived(ToolCore&, RemoteNode* node, bool alive) noexcept {
    auto* task = static_cast<Task*>(node);
    if (alive && task->pending()) {
        task->schedule();
    } else {
        task->leave(State::posted);
        task->drop();
    }
}

void Task::cancelArrived(ToolCore&, RemoteNode* node, bool alive) noexcept {
    auto* task = static_cast<Task*>(node);
    // A tool that closes drops by itself what it holds; this may be another thread then.
    if (alive && task->unlink()) task->drop();
    task->release();
}

bool Task::leave(State from) noexcept {
    return state_.compare_exchange_strong(from, State::over, std::memory_order_acq_rel);
}

void Task::schedule() noexcept {
    State expected = State::posted;
    if (!core_->alive() ||
        !state_.compare_exchange_strong(expected, State::scheduled, std::memory_order_acq_rel)) {
        leave(State::posted);
        drop();
    } else if (delay_ == kImmediate) {
        core_->enqueue(*this);
    } else {
        core_->arm(*this, delay_);
    }
}

bool Task::unlink() noexcept {
    const bool linked = RunNode::linked() || TimerNode::linked();
    core_->remove(*this);
    core_->disarm(*this);
    return linked;
}

void Task::call() noexcept {
    if (leave(State::scheduled)) {
        try {
            callback_();
        } catch (...) {
            core_->failed(std::current_exception());
        }
    }
    drop();
}

void Task::drop() noexcept {
    callback_.reset();
    release();
}

}  // namespace steptree::detail
