#include <algorithm>
#include <new>
#include <utility>

#include "core.hpp"

/// How a job comes into the pool, and how it leaves it.
namespace steptree::detail {

namespace {

std::size_t levelOf(Priority priority) {
    const auto level = static_cast<std::size_t>(priority);
    if (level >= Lane::kLevels) throw StepError(errors::InternalError, "not a priority");
    return level;
}

}  // namespace

void PoolCore::post(std::shared_ptr<PoolJob> job, const TaskOptions& options) {
    // Both sequentially consistent: who closes the pool sees this count, or is seen here.
    pending_.fetch_add(1);
    try {
        if (closed_.load()) throw StepError(errors::Closed, "the pool was shut down");
        place(std::move(job), options);
    } catch (...) {
        taken();
        throw;
    }
}

void PoolCore::place(std::shared_ptr<PoolJob> job, const TaskOptions& options) {
    const std::size_t level = levelOf(options.priority);
    if (!options.subpool.empty()) {
        if (options.boundTo) {
            throw StepError(errors::InternalError, "expected a sub-pool or boundTo, got both");
        }
        placeIn(find(options.subpool), level, std::move(job));
        return;
    }
    Lane& lane = options.boundTo ? boundLane(*options.boundTo) : main_;
    if (!lane.post(level, Entry(std::move(job)))) throw std::bad_alloc();
}

void PoolCore::placeIn(SubPool& subpool, std::size_t level, std::shared_ptr<PoolJob> job) {
    const PoolJob* const added = job.get();
    subpool.add(level, std::move(job));
    if (main_.post(level, Entry(subpool))) return;
    if (subpool.withdraw(level, added)) throw std::bad_alloc();
}

SubPool& PoolCore::find(std::string_view name) {
    const std::shared_lock lock(namesMutex_);
    const auto found = subpools_.find(name);
    if (found == subpools_.end()) {
        throw StepError(errors::InternalError, "no sub-pool '" + std::string(name) + "'");
    }
    return found->second;
}

Lane& PoolCore::boundLane(std::uint64_t number) {
    if (bound_.empty()) throw StepError(errors::InternalError, "boundTo: boundThreads is 0");
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Lane>& lane = bound_[number % bound_.size()];
    if (lane == nullptr) {
        auto made = std::make_unique<Lane>(spins_);
        spawn(*made, true);
        lane = std::move(made);
    }
    return *lane;
}

void PoolCore::limit(std::string_view name, int capacity) {
    if (closed_) throw StepError(errors::Closed, "the pool was shut down");
    std::vector<std::size_t> tickets;
    SubPool* subpool = nullptr;
    {
        const std::lock_guard lock(namesMutex_);
        auto [place, made] = subpools_.try_emplace(std::string(name), capacity);
        subpool = &place->second;
        if (!made) tickets = subpool->resize(capacity);
    }
    for (const std::size_t level : tickets) {
        if (!main_.post(level, Entry(*subpool))) throw std::bad_alloc();
    }
}

void PoolCore::taken() noexcept {
    if (pending_.fetch_sub(1) == 1 && closed_.load()) end();
}

void PoolCore::run(Entry& entry) noexcept {
    start(std::move(entry.job));
    SubPool* const subpool = std::exchange(entry.subpool, nullptr);
    if (subpool == nullptr) return;
    while (const auto level = subpool->ended()) {
        if (main_.post(*level, Entry(*subpool))) return;
        // Short of memory: the place isn't given back, the next job is run here.
        std::shared_ptr<PoolJob> job = subpool->next();
        if (job == nullptr) return;
        start(std::move(job));
    }
}

void PoolCore::start(std::shared_ptr<PoolJob> job) noexcept {
    taken();
    if (dropping_.load()) {
        job->drop(cancelled("the pool was shut down"));
    } else {
        job->start(hooks_);
    }
}

void PoolCore::dropWaiting() noexcept {
    const std::exception_ptr error = cancelled("the pool was shut down");
    const auto dropJob = [&](const std::shared_ptr<PoolJob>& job) {
        job->drop(error);
        taken();
    };
    const auto dropLane = [&](Lane& lane) {
        Lane::Tokens tokens(lane);
        for (Entry entry; lane.take(tokens, entry);) {
            if (entry.job != nullptr) dropJob(entry.job);
        }
    };
    // What is on its way in or out comes to its end in a moment.
    for (; pending_.load() != 0; std::this_thread::yield()) {
        dropLane(main_);
        for (std::size_t i = 0; i < bound_.size(); ++i) {
            std::unique_lock lock(mutex_);
            Lane* const lane = bound_[i].get();
            lock.unlock();
            if (lane != nullptr) dropLane(*lane);
        }
        const std::shared_lock lock(namesMutex_);
        for (auto& [name, subpool] : subpools_) {
            while (const auto job = subpool.remove()) dropJob(job);
        }
    }
}

}  // namespace steptree::detail
