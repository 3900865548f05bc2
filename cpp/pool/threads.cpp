#include <algorithm>
#include <utility>

#include "core.hpp"

/// The threads of a pool: how they come, what they do next, how they go.
namespace steptree::detail {

namespace {

thread_local const PoolCore* inside = nullptr;

}  // namespace

PoolCore::PoolCore(PoolOptions options)
    : hooks_{std::stop_source(), std::move(options.report)},
      spins_(options.spins),
      main_(options.spins),
      bound_(static_cast<std::size_t>(options.boundThreads)) {}

void PoolCore::spawn(Lane& lane, bool bound) {
    workers_.emplace_back(lane, bound);
    const auto self = std::prev(workers_.end());
    try {
        self->thread = std::thread([core = shared_from_this(), self] { core->work(self); });
    } catch (...) {
        workers_.pop_back();
        throw;
    }
    if (!bound) ++general_;
}

void PoolCore::work(Workers::iterator self) noexcept {
    inside = this;
    Entry entry;
    for (;;) {
        const Next what = next(*self, entry);
        if (what == Next::leave) break;
        if (what == Next::entry) run(entry);
    }
    retire(self);
}

PoolCore::Next PoolCore::next(Worker& worker, Entry& entry) noexcept {
    worker.lane.wait();
    for (;;) {
        // Both sequentially consistent: who pauses the pool waits for this, or is seen here.
        worker.taking.store(true);
        const bool free = !attention_.load();
        const bool took = free && take(worker, entry);
        worker.taking.store(false);
        if (took) return entry.job != nullptr ? Next::entry : Next::again;
        if (free) continue;
        const Next what = attend(worker);
        if (what != Next::entry) return what;
    }
}

bool PoolCore::take(Worker& worker, Entry& entry) {
    if (!worker.lane.take(worker.tokens, entry)) return false;
    if (entry.subpool != nullptr) entry.job = entry.subpool->next();
    return true;
}

/// With a permit. `entry`: there is nothing to do but to use it.
PoolCore::Next PoolCore::attend(Worker& worker) {
    std::unique_lock lock(mutex_);
    if (worker.bound) {
        changed_.wait(lock, [this] { return target_ > 0 || dropping_ || ended_; });
        if (ended_) return Next::leave;
        return dropping_ ? Next::again : Next::entry;
    }
    if (!ended_) {
        if (spare_ == 0) return dropping_ ? Next::again : Next::entry;
        --spare_;
        noteAttention();
        if (general_ <= target_) return Next::again;
    }
    --general_;
    return Next::leave;
}

/// Whoever goes waits for those that went before, so that one is left to wait for.
void PoolCore::retire(Workers::iterator self) noexcept {
    Workers before;
    {
        const std::lock_guard lock(mutex_);
        before.swap(gone_);
        gone_.splice(gone_.end(), workers_, self);
        changed_.notify_all();
    }
    // From here on another may destroy this worker, having joined its thread.
    for (Worker& worker : before) {
        if (worker.thread.joinable()) worker.thread.join();
    }
}

void PoolCore::noteAttention() noexcept {
    attention_.store(spare_ > 0 || target_ == 0 || dropping_ || ended_);
}

void PoolCore::resize(int threads) {
    const std::lock_guard lock(mutex_);
    if (closed_) throw StepError(errors::Closed, "the pool was shut down");
    setTarget(threads);
}

void PoolCore::setTarget(int threads) {
    target_ = threads;
    const int surplus = std::max(general_ - threads - spare_, 0);
    spare_ += surplus;
    noteAttention();
    main_.signal(surplus);
    if (threads == 0) {
        for (const Worker& worker : workers_) {
            while (worker.taking.load()) std::this_thread::yield();
        }
    }
    try {
        while (general_ < threads) spawn(main_, false);
    } catch (...) {
        target_ = general_;
        noteAttention();
        changed_.notify_all();
        throw;
    }
    changed_.notify_all();
}

void PoolCore::drain() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    if (target_ == 0 && !ended_ && pending_ != 0) setTarget(1);
    lock.unlock();
    {
        const std::shared_lock names(namesMutex_);
        for (auto& [name, subpool] : subpools_) {
            if (subpool.capacity() != 0) continue;
            for (const std::size_t level : subpool.resize(1)) {
                if (!main_.post(level, Entry(subpool))) throw std::bad_alloc();
            }
        }
    }
    if (pending_ == 0) end();
}

void PoolCore::drop() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        dropping_ = true;
        noteAttention();
        changed_.notify_all();
    }
    hooks_.stop.request_stop();
    dropWaiting();
    end();
}

void PoolCore::end() noexcept {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    target_ = 0;
    noteAttention();
    main_.signal(general_);
    for (const auto& lane : bound_) {
        if (lane != nullptr) lane->signal(1);
    }
    changed_.notify_all();
}

void PoolCore::wait() {
    if (inside == this) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return workers_.empty(); });
    Workers last;
    last.swap(gone_);
    lock.unlock();
    for (Worker& worker : last) {
        if (worker.thread.joinable()) worker.thread.join();
    }
}

void PoolCore::abandon() {
    if (inside != this) return;
    const std::lock_guard lock(mutex_);
    for (Workers* const list : {&workers_, &gone_}) {
        for (Worker& worker : *list) {
            if (worker.thread.joinable()) worker.thread.detach();
        }
    }
}

}  // namespace steptree::detail
