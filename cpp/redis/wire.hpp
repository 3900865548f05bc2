#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "link.hpp"
#include "redisreplicas.hpp"
#include "subscriptions.hpp"
#include "timers.hpp"

namespace steptree::detail::redis {

class RedisChannel;

/// What the connection's thread is to do. It takes no memory, and is its own again when it's done.
struct Task {
    void (*run)(Task& task) noexcept = nullptr;
    Task* next = nullptr;
};

/// The thread of a RedisConnection: a link that asks, one that hears, which is made when the first
/// listens, and one for what replicas have to have, made when the first asks for that. Any thread.
class Wire {
  public:
    explicit Wire(RedisOptions options);
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;
    /// What hasn't been answered is lost.
    ~Wire();

    const std::string& prefix() const noexcept { return options_.prefix; }
    bool isHere() const noexcept { return thread_.get_id() == std::this_thread::get_id(); }

    /// Throws std::bad_alloc only, and then doesn't send it.
    void send(Words words, Answer answer);
    /// Throws std::bad_alloc only.
    void listen(const std::string& channel, std::shared_ptr<Listener> listener);
    void leave(const std::string& channel, const Listener& listener) noexcept;
    /// On the connection's thread, in the order of these calls.
    void post(Task& task) noexcept;

    /// On the connection's thread, but for what they say themselves.
    Timers& timers() noexcept { return timers_; }
    RedisReplicas& replicas() noexcept { return replicas_; }
    /// What guards are told. Any thread.
    RedisChannel& channel() noexcept { return *channel_; }

  private:
    using Commands = std::vector<std::unique_ptr<Command>>;

    void run() noexcept;
    void runTasks() noexcept;
    void begin() noexcept;
    void flush() noexcept;
    void wait() noexcept;
    void finish() noexcept;
    void wake() const noexcept;
    Commands taken() noexcept;

    RedisOptions options_;
    const std::string quiet_;         // a channel on which nothing is said
    const std::array<int, 2> wakes_;  // a pipe, by which others wake the thread
    Timers timers_;
    const std::unique_ptr<RedisChannel> channel_;
    std::mutex mutex_;
    Commands commands_;
    Task* tasks_ = nullptr;
    Task** lastTask_ = &tasks_;
    bool closes_ = false;
    Subscriptions subscriptions_;
    Link asks_;
    Link hears_;
    RedisReplicas replicas_;
    bool isBehind_ = false;  // some memory was missing: once more, soon
    std::thread thread_;
};

}  // namespace steptree::detail::redis
