#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "lane.hpp"

namespace steptree::detail {

/// The jobs of one name, so many of which may run at a time. They wait here. In the lane there are
/// tickets for them, without a job: whoever takes one asks here for the job that is next now.
///
/// Invariant: as long as a job waits and one more may run, there is a ticket in the lane of its
/// level or a higher one. So each job that comes, each that ends while others wait, and each place
/// more makes a ticket; one for which there is no job, or no place, is thrown away.
class SubPool {
  public:
    explicit SubPool(int capacity) : capacity_(capacity) {}

    void add(std::size_t level, std::shared_ptr<PoolJob> job) {
        const std::lock_guard lock(mutex_);
        waiting_[level].push_back(std::move(job));
    }

    /// Takes back a job that there is no ticket for. False: it has been taken.
    bool withdraw(std::size_t level, const PoolJob* job) {
        const std::lock_guard lock(mutex_);
        return std::erase_if(waiting_[level], [=](const auto& j) { return j.get() == job; }) != 0;
    }

    /// A job that may run now, until ended(); or null.
    std::shared_ptr<PoolJob> next() {
        const std::lock_guard lock(mutex_);
        if (running_ >= capacity_) return nullptr;
        std::shared_ptr<PoolJob> job = pop();
        if (job != nullptr) ++running_;
        return job;
    }

    /// The level of a ticket that has to be made.
    std::optional<std::size_t> ended() {
        const std::lock_guard lock(mutex_);
        --running_;
        return running_ < capacity_ ? best() : std::nullopt;
    }

    /// The levels of tickets that have to be made.
    std::vector<std::size_t> resize(int capacity) {
        const std::lock_guard lock(mutex_);
        std::vector<std::size_t> tickets;
        for (std::size_t level = 0; level < Lane::kLevels; ++level) {
            const std::size_t places =
                static_cast<std::size_t>(capacity > running_ ? capacity - running_ : 0);
            for (std::size_t i = 0; i < waiting_[level].size() && tickets.size() < places; ++i) {
                tickets.push_back(level);
            }
        }
        capacity_ = capacity;
        return tickets;
    }

    int capacity() const {
        const std::lock_guard lock(mutex_);
        return capacity_;
    }

    /// Gives away one that won't run.
    std::shared_ptr<PoolJob> remove() {
        const std::lock_guard lock(mutex_);
        return pop();
    }

  private:
    std::optional<std::size_t> best() const {
        for (std::size_t level = 0; level < Lane::kLevels; ++level) {
            if (!waiting_[level].empty()) return level;
        }
        return std::nullopt;
    }

    std::shared_ptr<PoolJob> pop() {
        const std::optional<std::size_t> level = best();
        if (!level) return nullptr;
        std::shared_ptr<PoolJob> job = std::move(waiting_[*level].front());
        waiting_[*level].pop_front();
        return job;
    }

    mutable std::mutex mutex_;
    int capacity_;
    int running_ = 0;
    std::array<std::deque<std::shared_ptr<PoolJob>>, Lane::kLevels> waiting_;
};

}  // namespace steptree::detail
