#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "asked.hpp"
#include "connection.hpp"
#include "steptree/redisservice.hpp"

namespace steptree::detail::redis {

/// The calls of a service that this process waits for: a session in Redis, with a lease.
///
/// - The lease counts from when it was asked for, so it's over here before it is there. Then the
///   session is used no more: what it waits for is lost, and Redis finds that out by itself. The
///   first one counts from when it's asked for by the first call, though Redis never answers.
/// - A reply stays in Redis until it's acknowledged, by what is said next anyway. So what nobody
///   heard is made good by the next renewal.
/// - What is left is cancelled in Redis at once, and once more behind the answer of what is being
///   sent: a script that Redis doesn't know comes there behind what is said later. Renewals say it
///   again until Redis has answered.
/// - With nothing to wait for there are no timers.
/// - What there is no memory for is as what Redis hasn't answered.
class Caller final : public Listener, public std::enable_shared_from_this<Caller> {
  public:
    Caller(RedisConnection& connection, std::string name, std::string base,
           const RedisServiceOptions& limits);

    // ---- any thread
    /// Makes a call. Throws std::bad_alloc only.
    std::shared_ptr<Asked> ask(Request request, Completion done);
    /// The service goes: nothing is heard any more. Once.
    void end() noexcept;
    void post(Task& task) noexcept { wire_.post(task); }

    // ---- the connection's thread, as is all that follows
    void heard(const std::string& text) noexcept override;
    void again() noexcept override;
    void begin(const std::shared_ptr<Asked>& asked) noexcept;
    /// Whether Redis has it isn't known.
    void refused(Asked& asked, std::string_view why) noexcept;
    void left(const std::shared_ptr<Asked>& asked) noexcept;

  private:
    using Held = std::shared_ptr<Asked>;
    using Calls = std::unordered_map<std::string, Held>;
    using Ids = std::vector<std::string>;
    using Told = std::function<void(const Reply&)>;
    using Time = Timer::Time;
    static constexpr std::size_t kAtOnce = 500;  // are named, or cancelled, by one script
    struct Ending : Task {
        std::shared_ptr<Caller> of;
    };

    // asking
    void send(const Held& asked);
    void sent(const Held& asked, std::uint64_t agains, const Reply& reply);
    static void isSent(Asked& asked) noexcept;
    void answered(const std::string& id, const std::string& reply);
    // leaving
    Held take(const std::string& id) noexcept;
    void cancel(const Held& asked) noexcept;
    void cancel(std::span<const Held> some);
    // the session
    void open();
    Calls close() noexcept;
    bool isIdle() const noexcept { return calls_.empty() && left_.empty(); }
    void restIfIdle() noexcept;
    void script(const char* name, Words args, Ids replied, Told told);
    void acknowledgeAgain(const Ids& replied) noexcept;
    Ids acknowledged();
    // its lease
    void extend(Time asked) noexcept;
    void checkLease() noexcept;
    std::vector<Held> unsaid() const;
    void renew() noexcept;
    void renewAll();
    void name(std::span<const std::string> ids, Told told);
    void renewed(const Reply& reply) noexcept;
    void say(const Reply& reply);
    void start(Timer& timer, Time due) noexcept;
    Time now() const noexcept { return wire_.timers().now(); }

    RedisConnection& connection_;
    Wire& wire_;
    const std::string name_;
    const std::string base_;
    const RedisServiceOptions limits_;
    Ending ending_;
    std::string session_;  // '': there is none
    std::string channel_;
    Calls calls_;
    Calls left_;   // that are to be cancelled
    Ids replied_;  // of replies that are to be acknowledged
    std::uint64_t count_ = 0;
    std::uint64_t agains_ = 0;  // how often something may have been missed
    std::size_t renewing_ = 0;  // scripts of a renewal whose answers aren't here yet
    bool renewsAgain_ = false;
    std::chrono::milliseconds next_{};  // renewal, after this one
    Time ends_{};                       // the lease; none: nothing is waited for
    Timer renewal_;
    Timer deadline_;
};

}  // namespace steptree::detail::redis
