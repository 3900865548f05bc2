#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "link.hpp"

namespace steptree::detail::redis {

/// How many, and how long they may take.
struct ReplicasNeeded {
    std::int64_t count;
    std::chrono::milliseconds patience;
};

/// What counts only once so many replicas have it. It's asked for by a connection of its own, as
/// one that waits for replicas does nothing else. On the connection's thread.
///
/// - Redis knows by the connection what is waited for. So it has to be the same one all the time:
///   after a loss of it nothing is confirmed.
/// - Who asks while others wait shares the next wait, which covers all that was done before.
class RedisReplicas {
  public:
    explicit RedisReplicas(RedisOptions& options);
    RedisReplicas(const RedisReplicas&) = delete;
    RedisReplicas& operator=(const RedisReplicas&) = delete;
    ~RedisReplicas() = default;

    /// Throws std::bad_alloc only, and then doesn't send it.
    void send(Words words, Answer answer);
    /// Called by who was answered `done` right now: says that once they have it, or why they
    /// haven't.
    void confirm(Reply done, const ReplicasNeeded& needed, Answer answer) noexcept;

    void flush() noexcept;
    /// All that was sent is lost.
    void close() noexcept;

    // as of a Link; without any use of it nothing is connected
    int fd() const noexcept { return link_.fd(); }
    short events() const noexcept { return link_.events(); }
    Link::Clock::time_point next() const noexcept;
    void serve(short events, Link::Clock::time_point now) noexcept;

  private:
    using Key = std::pair<std::int64_t, std::int64_t>;
    struct Done {
        Reply reply{};
        std::int64_t connection = 0;
        Answer answer{};
    };
    struct Waits {
        std::vector<Done> now{};  // empty: nobody waits
        std::vector<Done> next{};
    };

    bool maySend() const noexcept { return isClosed_ || link_.isKnown(); }
    void begin(const Key& key) noexcept;
    void waited(const Key& key, const Reply& have) noexcept;
    void settle(Done& done, std::int64_t needed, const Reply& have) const noexcept;

    std::map<Key, Waits> waits_;  // by what they wait for
    std::vector<std::unique_ptr<Command>> commands_;
    std::int64_t connection_ = 0;  // how often it has connected
    bool isUsed_ = false;
    bool isClosed_ = false;
    Link link_;
};

}  // namespace steptree::detail::redis
