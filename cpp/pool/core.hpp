#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lane.hpp"
#include "steptree/pooloptions.hpp"
#include "subpool.hpp"

namespace steptree::detail {

/// What a pool and its threads share; the threads keep it.
///
/// The way of a job: `post` counts it in `pending_` and puts it into a lane or a sub-pool; a worker
/// takes it out, counts it down, and starts it. Once `closed_`, nobody is let in, so `pending_` can
/// only fall, and whoever brings it to 0 ends the threads.
///
/// A worker that has a permit looks at `attention_` before it takes an entry: it is set whenever a
/// worker may have to do something else, under `mutex_` then.
class PoolCore : public std::enable_shared_from_this<PoolCore> {
  public:
    explicit PoolCore(PoolOptions options);

    void post(std::shared_ptr<PoolJob> job, const TaskOptions& options);
    void resize(int threads);
    int threads() const noexcept { return target_.load(); }
    std::size_t waiting() const noexcept { return pending_.load(); }
    void limit(std::string_view name, int capacity);
    void drain();
    void drop();
    /// For all threads to have ended; does nothing on one of them.
    void wait();
    /// Nobody will wait.
    void abandon();

  private:
    struct Worker {
        Worker(Lane& l, bool b) : lane(l), tokens(l), bound(b) {}
        Lane& lane;
        Lane::Tokens tokens;
        const bool bound;
        std::atomic<bool> taking{false};
        std::thread thread;
    };
    using Workers = std::list<Worker>;
    enum class Next { entry, again, leave };

    // jobs.cpp
    void place(std::shared_ptr<PoolJob> job, const TaskOptions& options);
    void placeIn(SubPool& subpool, std::size_t level, std::shared_ptr<PoolJob> job);
    SubPool& find(std::string_view name);
    Lane& boundLane(std::uint64_t number);
    void taken() noexcept;
    void run(Entry& entry) noexcept;
    void start(std::shared_ptr<PoolJob> job) noexcept;
    void dropWaiting() noexcept;
    void dropEntry(Entry& entry, const std::exception_ptr& error) noexcept;

    // threads.cpp
    void spawn(Lane& lane, bool bound);
    bool take(Worker& worker, Entry& entry);
    void work(Workers::iterator self) noexcept;
    Next next(Worker& worker, Entry& entry) noexcept;
    Next attend(Worker& worker);
    void retire(Workers::iterator self) noexcept;
    void setTarget(int threads);
    void noteAttention() noexcept;
    void end() noexcept;

    PoolHooks hooks_;
    const int spins_;
    Lane main_;
    std::vector<std::unique_ptr<Lane>> bound_;  // null: not used yet; with mutex_

    std::shared_mutex namesMutex_;
    std::map<std::string, SubPool, std::less<>> subpools_;

    std::atomic<std::size_t> pending_{0};
    std::atomic<bool> closed_{false};
    std::atomic<bool> dropping_{false};
    std::atomic<bool> attention_{false};
    std::atomic<int> target_{0};

    std::mutex mutex_;
    std::condition_variable changed_;
    Workers workers_;
    Workers gone_;     // have ended, or will in a moment; to be joined
    int general_ = 0;  // workers of main_
    int spare_ = 0;    // permits of main_ that were given to wake workers
    bool ended_ = false;
};

}  // namespace steptree::detail
