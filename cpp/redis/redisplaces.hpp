#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "connection.hpp"
#include "redischannel.hpp"
#include "redislocal.hpp"
#include "redissession.hpp"
#include "steptree/detail/remoteguard.hpp"
#include "steptree/redisguard.hpp"

namespace steptree::detail::redis {

class RedisPlaces;

/// As in the scripts: `fixed`, `sliding` or `bucket`, how many, in how many ms, and what a bucket
/// holds.
struct RateArguments {
    const char* algorithm;
    std::int64_t max;
    std::int64_t period;
    std::int64_t burst;
};

struct PlacesOptions {
    std::int64_t max;
    std::int64_t maxQueue;
    std::optional<RateArguments> rate;
    std::chrono::milliseconds lease;
    std::chrono::nanoseconds patience;
    std::int64_t replicas;
    WhenDown::Kind whenDown;
    std::optional<Share> share;  // with `local`
};

/// What stands for a place, or an entry, in Redis, which knows it by the session. But for its tasks
/// all of it is of the connection's thread.
struct Ticket final : RemotePlace, Sharer {
    /// asked: no answer has come yet. in: it has a place. local: one of this process alone. lost:
    /// its section isn't closed yet.
    enum class State : std::uint8_t { asked, waits, in, local, lost, gone };
    struct Post : Task {
        std::shared_ptr<Ticket> ticket;  // while it's on its way
    };

    Ticket(std::shared_ptr<RedisPlaces> of, std::int64_t number, std::int64_t count, bool isInside);
    /// It's of no use here.
    bool isOver() const noexcept { return state == State::gone || state == State::local; }

    const std::shared_ptr<RedisPlaces> places;
    const std::string id;
    std::shared_ptr<RedisSession> session;  // once it has begun
    State state = State::asked;
    int tries = 0;            // it has been asked for so often in vain
    int asks = 0;             // how often it was asked for
    int flying = 0;           // how many of these have neither been answered nor failed
    bool isDoubtful = false;  // Redis may know it, though we haven't heard that
    bool isTold = false;      // something was told of it while it was asked for
    bool rests = false;       // till it asks again; else the timer is its patience
    Timer::Time since{};  // when its state was heard: answers to what was asked before are older
    Timer timer;
    Post asking;
    Post leaving;
};

/// Of tickets, in the order in which they were made: `9.1` before `10.1`.
struct ByNumber {
    using is_transparent = void;
    bool operator()(std::string_view one, std::string_view other) const noexcept {
        const auto length = one.find('.');
        const auto others = other.find('.');
        return length != others ? length < others : one < other;
    }
};

/// The places that a process has in a guard over Redis, or waits for, and the entries that it waits
/// for: its session.
///
/// - A ticket without a place is over when it's let in. One that has waited Redis keeps until a
///   renewal has told of it. Of what Redis knows each other one is in the end given back, but what
///   is lost with its session.
/// - What is told of a ticket that was asked for more than once may be older than the last time:
///   then Redis is asked.
/// - What Redis has and we don't is given back when it's heard of; what we have and Redis hasn't is
///   lost. So an answer that never came, and a message that nobody heard, are made good by the next
///   renewal.
/// - We count our lease from when we asked for it, so it's over here before it is there.
/// - The session lives on while it has tickets, which keep this alive; without any it has no timer.
/// - What there is no memory for is as what Redis hasn't answered.
class RedisPlaces final : public RemoteSource,
                          public Told,
                          public std::enable_shared_from_this<RedisPlaces> {
  public:
    RedisPlaces(RedisConnection& connection, std::string key, PlacesOptions options);
    ~RedisPlaces() override = default;

    // ---- any thread
    std::shared_ptr<RemotePlace> make(std::int64_t count, bool isInside) override;
    void ask(RemotePlace& place) noexcept override;
    void left(RemotePlace& place) noexcept override { free(place); }
    void free(RemotePlace& place) noexcept override;
    void close() noexcept override;

    /// How it stands, for all processes: places taken, lines that wait, entries left or -1.
    void counts(IAsyncSteps& asi) const;

    // ---- the connection's thread, as is all that follows
    void told(std::string_view what, std::string more) noexcept override;
    void again() noexcept override { renew(); }
    void timed(Ticket& ticket) noexcept;

  private:
    using Held = std::shared_ptr<Ticket>;
    using State = Ticket::State;
    using Time = Timer::Time;
    struct Closing : Task {
        std::shared_ptr<RedisPlaces> of;
    };

    // asking
    void begin(const Held& ticket) noexcept;
    void askAgain(const Held& ticket) noexcept;
    void answered(const Held& ticket, Reply answer, Time sent, bool isHeard) noexcept;
    void failed(const Held& ticket, const char* why) noexcept;
    void grant(const Held& ticket, std::string token) noexcept;
    void refuse(const Held& ticket, std::string_view code, const char* why,
                std::int64_t retryAfter = -1) noexcept;
    void letInHere(const Held& ticket) noexcept;
    void letIn(const Held& ticket, std::string token) noexcept;
    // giving back
    void end(const Held& ticket) noexcept;
    void drop(const Held& ticket) noexcept;
    void forget(const Held& ticket) noexcept;
    void leaveShare(Ticket& ticket) noexcept;
    void clear(Ticket& ticket) noexcept;
    void newSession();
    // looking
    void lookIn(std::int64_t ms) noexcept;
    void look() noexcept;
    // the lease
    Time leaseFrom(Time sent) const noexcept;
    void extend(Time sent) noexcept;
    void checkLease() noexcept;
    void lose(const Held& ticket, const char* why) noexcept;
    void isTold(const Held& ticket) noexcept;
    void renew() noexcept;
    void renewed(Reply& answer, const RedisSession& by, Time sent) noexcept;
    void compare(Reply& answer, Time sent);
    void renewSoon() noexcept;
    void schedule(std::chrono::nanoseconds time) noexcept;
    void rest() noexcept;
    void closed() noexcept;

    void start(Timer& timer, Time due) noexcept;
    Time now() const noexcept { return wire_.timers().now(); }

    RedisConnection& connection_;
    Wire& wire_;
    const std::string key_;
    const PlacesOptions options_;
    std::shared_ptr<RedisSession> session_;  // null: there was none yet
    std::atomic<std::int64_t> next_{0};
    Closing closing_;
    std::atomic<bool> isClosing_{false};
    std::map<std::string, Held, ByNumber> tickets_;
    std::map<std::string, Held, ByNumber> lost_;  // whose sections aren't closed yet
    std::optional<LocalShare> share_;
    bool isRenewing_ = false;
    bool renewsAgain_ = false;
    std::int64_t told_ = 0;  // the largest token of an entry that a renewal has told
    Time ends_ = Time::max();
    Timer timer_;
    Timer deadline_;
    Timer looking_;
};

}  // namespace steptree::detail::redis
