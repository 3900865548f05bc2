#include "subscriptions.hpp"

#include <utility>

namespace steptree::detail::redis {

void Subscriptions::listen(const std::string& channel, std::shared_ptr<Listener> listener) {
    const std::lock_guard locked(mutex_);
    const auto [found, isNew] = channels_.try_emplace(channel);
    found->second.name = &found->first;
    change(found->second);
    found->second.listeners.push_back(std::move(listener));
}

void Subscriptions::leave(const std::string& channel, const Listener& listener) noexcept {
    std::shared_ptr<Listener> gone;  // destroyed with the lock open
    const std::lock_guard locked(mutex_);
    const auto found = channels_.find(channel);
    if (found == channels_.end()) return;
    auto& listeners = found->second.listeners;
    for (auto& one : listeners) {
        if (one.get() != &listener) continue;
        gone = std::exchange(one, std::move(listeners.back()));
        listeners.pop_back();
        break;
    }
    if (listeners.empty()) change(found->second);
}

bool Subscriptions::isWanted() noexcept {
    const std::lock_guard locked(mutex_);
    return !channels_.empty();
}

void Subscriptions::renew() noexcept {
    const std::lock_guard locked(mutex_);
    for (auto& [name, channel] : channels_) {
        channel.isBegun = channel.isEnding = false;
        change(channel);
    }
}

void Subscriptions::change(Channel& channel) noexcept {
    if (std::exchange(channel.isChanged, true)) return;
    channel.next = std::exchange(changed_, &channel);
}

bool Subscriptions::flush(Link& link) noexcept {
    const std::lock_guard locked(mutex_);
    while (changed_ != nullptr) {
        Channel& channel = *changed_;
        const bool isWanted = !channel.listeners.empty();
        const bool isKnown = link.isUp() && channel.isBegun;
        const bool isTold = link.isUp() && !channel.isEnding && (isWanted || isKnown);
        if (isTold && !link.say(isWanted ? "SUBSCRIBE" : "UNSUBSCRIBE", *channel.name)) {
            return false;
        }
        changed_ = channel.next;
        channel.isChanged = false;
        if (isTold) {
            channel.isBegun = isWanted;
            channel.isEnding = !isWanted;
        } else if (!isWanted && !isKnown && !channel.isEnding) {
            channels_.erase(channels_.find(*channel.name));
        }
    }
    return true;
}

void Subscriptions::ended(const std::string& name) noexcept {
    const std::lock_guard locked(mutex_);
    const auto found = channels_.find(name);
    if (found == channels_.end()) return;
    Channel& channel = found->second;
    channel.isEnding = false;
    if (!channel.listeners.empty()) {
        change(channel);
    } else if (!channel.isChanged) {
        channels_.erase(found);
    }
}

/// [message, channel, text], [subscribe, channel, n], or [unsubscribe, channel, n].
void Subscriptions::tell(const Reply& message) noexcept {
    if (message.list.size() != 3) return renew();  // it didn't fit into memory
    const std::string& what = message.list[0].text;
    const std::string& channel = message.list[1].text;
    if (what == "subscribe") {
        for (const auto& listener : listenersOf(channel)) listener->again();
    } else if (what == "unsubscribe") {
        ended(channel);
    } else if (what == "message") {
        for (const auto& listener : listenersOf(channel)) listener->heard(message.list[2].text);
    }
}

/// Without memory they are told to look for themselves, later.
std::vector<std::shared_ptr<Listener>> Subscriptions::listenersOf(
    const std::string& channel) noexcept {
    const std::lock_guard locked(mutex_);
    const auto found = channels_.find(channel);
    if (found == channels_.end()) return {};
    try {
        return found->second.listeners;
    } catch (...) {
        change(found->second);
        return {};
    }
}

}  // namespace steptree::detail::redis
