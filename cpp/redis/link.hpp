#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reply.hpp"
#include "steptree/redis.hpp"

namespace steptree::detail::redis {

using Words = std::vector<std::string>;

struct Command {
    Words words;
    Answer answer;
};

/// A connection of hiredis, made anew whenever it's lost. All of it on the connection's thread,
/// which calls `serve` with what poll() has said of `fd`.
///
///     down -> connecting -> greeting (AUTH, SELECT) -> up, and from each of them -> down
class Link {
  public:
    using Clock = std::chrono::steady_clock;

    /// What it tells: it's up; what it heard though nobody had asked.
    struct Events {
        std::function<void()> up{};
        std::function<void(Reply)> heard{};
    };

    Link(RedisOptions& options, Events events);
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link() = default;
    /// All that was sent is lost. Nothing is called after that.
    void close() noexcept;

    /// Whether it's up, or a try to connect has failed: then commands are sent, or fail.
    bool isKnown() const noexcept { return isKnown_; }
    bool isUp() const noexcept { return state_ == State::up; }
    /// Whether something that was sent isn't answered yet.
    bool isWaiting() const noexcept;
    /// Sends it, or answers at once that the connection is lost.
    void send(std::unique_ptr<Command> command) noexcept;
    /// Begins to hear a channel, or ends: `SUBSCRIBE`. False: not sent.
    bool say(const char* what, const std::string& channel) noexcept;

    /// -1: nothing to wait for but the time.
    int fd() const noexcept;
    short events() const noexcept;
    /// When it wants to be served though nothing has come.
    Clock::time_point next() const noexcept { return next_; }
    void serve(short events, Clock::time_point now) noexcept;

  private:
    enum class State : unsigned char { down, connecting, greeting, up };
    struct Hooks;

    void connect(Clock::time_point now) noexcept;
    void watch() noexcept;
    void greet() noexcept;
    void greeted(const Reply& reply) noexcept;
    void lost() noexcept;
    bool write(const Words& words, void (*told)(redisAsyncContext*, void*, void*),
               void* data) noexcept;

    RedisOptions& options_;
    const Events events_;
    redisAsyncContext* context_ = nullptr;
    State state_ = State::down;
    bool reads_ = false;
    bool writes_ = false;
    int greetings_ = 0;  // answers that are to come
    int failures_ = 0;   // since it was up
    bool isKnown_ = false;
    Clock::time_point upSince_{};
    Clock::time_point next_{};
};

}  // namespace steptree::detail::redis
