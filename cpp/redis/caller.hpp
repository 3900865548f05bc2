#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "connection.hpp"
#include "steptree/completion.hpp"
#include "steptree/redisservice.hpp"
#include "wire.hpp"

namespace steptree::detail::redis {

class Caller;

/// What is asked for.
struct Request {
    std::string method;
    std::string args;
    std::string traceparent;
};

/// A call that somebody waits for. It's asked, then sent, when Redis has said that it has it, then
/// over: answered, refused, lost, or left.
class Asked final : public Alarm {
  public:
    Asked(std::shared_ptr<Caller> caller, Completion done);
    /// Nobody waits for it any more. Any thread.
    void leave() noexcept;
    /// Redis hasn't said in time that it has it.
    Clock::time_point due(Clock::time_point now) noexcept override;

  private:
    friend Caller;

    const std::shared_ptr<Caller> caller_;
    const Completion done_;
    std::string id_;
    bool isSent_ = false;  // with the lock of the caller
};

/// The calls of a service that this process waits for: a session in Redis, with a lease.
///
/// - The lease counts from when it was asked for, so it's over here before it is there. Then the
///   session is used no more: what it waits for is lost, and Redis finds that out by itself.
/// - A reply stays in Redis until it's acknowledged, by what is said next anyway. So what nobody
///   heard is made good by the next renewal.
/// - What is left is cancelled in Redis until that has answered, and once more behind the answer of
///   what is being sent: a script that Redis doesn't know comes there behind what is said later.
///
/// Any thread. The connection's calls what hears and what is due.
class Caller final : public Listener, public Alarm, public std::enable_shared_from_this<Caller> {
  public:
    Caller(RedisConnection& connection, std::string name, std::string base,
           const RedisServiceOptions& limits);

    /// Makes a call that has so many milliseconds; -1: any time. Throws std::bad_alloc only.
    std::shared_ptr<Asked> ask(const Request& request, std::int64_t left, Completion done);
    /// The service goes: nothing is heard any more.
    void end() noexcept;

    void heard(const std::string& text) noexcept override;
    void again() noexcept override;
    Clock::time_point due(Clock::time_point now) noexcept override;

  private:
    friend Asked;
    using Calls = std::unordered_map<std::string, std::shared_ptr<Asked>>;
    using Ids = std::vector<std::string>;
    using Guarded = std::lock_guard<std::mutex>;

    void late(Asked& asked) noexcept;
    void left(Asked& asked) noexcept;
    void check(Clock::time_point now) noexcept;

    // With the lock.
    void open();
    Calls close() noexcept;
    bool isIdle() const noexcept { return calls_.empty() && left_.empty(); }
    void schedule(Clock::time_point time);
    void script(const char* name, Words args, Ids replied, std::function<void(const Reply&)> told);
    void send(const std::shared_ptr<Asked>& asked, const Request& request, std::int64_t left);
    void sent(const std::shared_ptr<Asked>& asked, std::uint64_t agains, const Reply& reply);
    void fail(Asked& asked, std::string_view code, std::string_view why);
    void answered(const std::string& id, const std::string& reply);
    void renew();
    void renew(std::span<const std::string> named);
    void renewed(const Reply& reply);
    void cancel();
    bool take(Asked& asked) noexcept;
    Ids acknowledged();

    Wire& wire_;
    RedisConnection& connection_;
    const std::string name_;
    const std::string base_;
    const RedisServiceOptions limits_;
    std::mutex mutex_;
    std::string session_;  // '': there is none
    std::string channel_;
    Clock::time_point ends_{};                           // the session's lease
    Clock::time_point next_ = Clock::time_point::max();  // when its timer calls
    Calls calls_;
    std::unordered_set<std::string>
        sending_;  // of calls of which Redis hasn't said that it has them
    Ids left_;     // of calls that are to be cancelled
    Ids replied_;  // of replies that are to be acknowledged
    std::uint64_t count_ = 0;
    std::uint64_t agains_ = 0;  // how often something may have been missed
};

}  // namespace steptree::detail::redis
