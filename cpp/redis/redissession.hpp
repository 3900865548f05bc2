#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "connection.hpp"
#include "redisreplicas.hpp"
#include "timers.hpp"

namespace steptree::detail::redis {

/// What Redis knows a guard of this process by: a session, whose lease is renewed for all that
/// belongs to it. On the connection's thread.
///
/// - What is given back is given back until Redis has said so, or a lease has passed: then it's
///   either lost with the session, or found by a renewal.
/// - A session of which we don't know what it has (an answer was lost) isn't used again after it
///   has rested: nobody renews it, so what is left there, or comes there late, ends with its lease.
class RedisSession : public std::enable_shared_from_this<RedisSession> {
  public:
    /// `limits`: the arguments that all scripts have behind session and lease. `replicas`: how many
    /// have to know what is let in or renewed, or 0. `look`: a script wants that to be done in so
    /// many milliseconds. Any thread.
    RedisSession(RedisConnection& connection, std::string key, std::chrono::milliseconds lease,
                 const std::vector<std::string>& limits, const ReplicasNeeded& replicas,
                 std::function<void(std::int64_t)> look);
    RedisSession(const RedisSession&) = delete;
    RedisSession& operator=(const RedisSession&) = delete;

    const std::int64_t number;
    /// What it has there isn't known for certain.
    bool isDoubtful() const noexcept { return isDoubtful_; }

    /// Throws std::bad_alloc only, and hasn't sent it then.
    void send(std::string_view script, std::vector<std::string> own, Answer answer);
    void giveBack(std::span<const std::string> ids) noexcept;

  private:
    using Time = Timer::Time;
    using Ids = std::vector<std::string>;

    void release(Ids ids, Time until);
    void owe(const Ids& ids, Time until) noexcept;
    void pay() noexcept;

    RedisConnection& connection_;
    Wire& wire_;
    const std::string key_;
    const std::chrono::milliseconds lease_;
    std::vector<std::string> arguments_;
    const ReplicasNeeded replicas_;
    const std::function<void(std::int64_t)> look_;
    bool isDoubtful_ = false;
    Ids owed_;
    Time until_{};
    Timer retry_;
};

/// It was said by Redis, which has done nothing then.
bool isSaid(const Reply& failure) noexcept;

}  // namespace steptree::detail::redis
