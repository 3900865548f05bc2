#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "link.hpp"

namespace steptree::detail::redis {

/// Of one channel. Called on the connection's thread, which it must not hold up.
struct Listener {
    virtual ~Listener() = default;
    virtual void heard(const std::string& text) noexcept = 0;
    /// It hears from now on; before, something may have been missed.
    virtual void again() noexcept = 0;
};

/// Who listens to what. What is said while nobody is connected is lost: so after each loss of the
/// connection all are told to look for themselves, as are those who begin.
///
/// To hiredis what it hears of a channel that has ended belongs to nobody. So one begins again only
/// when the server has said that it has ended.
class Subscriptions {
  public:
    /// Any thread. Throws std::bad_alloc only.
    void listen(const std::string& channel, std::shared_ptr<Listener> listener);
    /// Any thread. A call that has begun by then goes on.
    void leave(const std::string& channel, const Listener& listener) noexcept;
    /// Whether anybody listens. Any thread.
    bool isWanted() noexcept;

    /// On the connection's thread, as is what follows: it's up again.
    void renew() noexcept;
    /// Tells the server who has begun, and who has ended. False: not all, for want of memory.
    bool flush(Link& link) noexcept;
    void tell(const Reply& message) noexcept;

  private:
    struct Channel {
        std::vector<std::shared_ptr<Listener>> listeners{};
        Channel* next = nullptr;  // of those the server is to be told of
        const std::string* name = nullptr;
        bool isChanged = false;
        bool isBegun = false;   // the server was told
        bool isEnding = false;  // it hasn't said yet that it has ended
    };

    void change(Channel& channel) noexcept;
    void ended(const std::string& channel) noexcept;
    std::vector<std::shared_ptr<Listener>> listenersOf(const std::string& channel) noexcept;

    std::mutex mutex_;
    std::unordered_map<std::string, Channel> channels_;
    Channel* changed_ = nullptr;
};

}  // namespace steptree::detail::redis
