#pragma once

#include <concurrentqueue.h>
#include <lightweightsemaphore.h>

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "slotorder.hpp"
#include "steptree/detail/pooltask.hpp"

namespace steptree::detail {

class SubPool;

/// Something to do: a job, or whatever comes next in a sub-pool.
struct Entry : SlotOrder {
    Entry() = default;
    explicit Entry(std::shared_ptr<PoolJob> j) : job(std::move(j)) {}
    explicit Entry(SubPool& s) : subpool(&s) {}

    std::shared_ptr<PoolJob> job;
    SubPool* subpool = nullptr;
};

/// The queues of some threads, one a priority, and a permit for each entry: who has got a permit
/// finds an entry. There may be more permits than entries, which only wake a thread; the pool
/// accounts for them.
class Lane {
    using Queue = moodycamel::ConcurrentQueue<Entry>;

  public:
    static constexpr std::size_t kLevels = 3;

    explicit Lane(int spins) : permits_(0, spins) {}

    /// How a thread goes around between those that hand in: none of them is passed over for ever.
    struct Tokens {
        explicit Tokens(Lane& lane)
            : of{moodycamel::ConsumerToken(lane.queues_[0]),
                 moodycamel::ConsumerToken(lane.queues_[1]),
                 moodycamel::ConsumerToken(lane.queues_[2])} {}
        std::array<moodycamel::ConsumerToken, kLevels> of;
    };

    /// False: short of memory, and nothing has changed.
    [[nodiscard]] bool post(std::size_t level, Entry entry) {
        if (!queues_[level].enqueue(std::move(entry))) return false;
        permits_.signal();
        return true;
    }

    /// Wakes so many threads.
    void signal(int threads) {
        if (threads > 0) permits_.signal(threads);
    }

    void wait() {
        while (!permits_.wait()) {
        }
    }

    /// The first entry of the highest priority that has any. Another thread's may be overlooked
    /// while it takes it out.
    bool take(Tokens& tokens, Entry& entry) {
        for (std::size_t level = 0; level < kLevels; ++level) {
            if (queues_[level].try_dequeue(tokens.of[level], entry)) return true;
        }
        return false;
    }

  private:
    std::array<Queue, kLevels> queues_;
    moodycamel::LightweightSemaphore permits_;
};

}  // namespace steptree::detail
