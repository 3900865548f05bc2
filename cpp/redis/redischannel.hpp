#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "subscriptions.hpp"
#include "timers.hpp"

namespace steptree::detail::redis {

class Wire;

/// A session: what one guard object has, and waits for.
class Told {
  public:
    /// `! ms`, or a ticket and its token.
    virtual void told(std::string_view what, std::string more) noexcept = 0;
    /// Something may have been missed.
    virtual void again() noexcept = 0;

  protected:
    ~Told() = default;
};

/// What the guards of a process are told by Redis: one channel for all of them, listened to from
/// when the first one waits.
///
/// Each guard object has a session of its own, `process.number`, and is known here as long as it
/// asks for something. All of it on the connection's thread, but for session().
class RedisChannel {
  public:
    explicit RedisChannel(Wire& wire);
    RedisChannel(const RedisChannel&) = delete;
    RedisChannel& operator=(const RedisChannel&) = delete;
    ~RedisChannel();

    /// The number of one more session. Any thread.
    std::int64_t number() noexcept { return count_++; }
    /// Its name. Any thread.
    std::string session(std::int64_t number) const;

    /// Whether it hears all that is said from now on.
    bool hears() const noexcept { return hears_; }
    void open(std::int64_t number, std::weak_ptr<Told> told);
    /// With the last one nobody listens.
    void close(std::int64_t number) noexcept;
    /// Somebody waits.
    void listen() noexcept;

  private:
    struct Ear;

    void heard(const std::string& text) noexcept;
    void again() noexcept;
    void end() noexcept;

    Wire& wire_;
    const std::string process_;
    const std::string name_;  // of the channel
    std::atomic<std::int64_t> count_{0};
    std::map<std::int64_t, std::weak_ptr<Told>> sessions_{};
    std::shared_ptr<Ear> ear_{};  // null: it doesn't listen
    bool hears_ = false;
    Timer retry_;
};

}  // namespace steptree::detail::redis
