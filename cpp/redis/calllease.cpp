#include <algorithm>
#include <utility>

#include "caller.hpp"
#include "calls.hpp"
#include "steptree/error.hpp"

/// The lease of a caller's session, and what its renewals tell.
namespace steptree::detail::redis {

void Caller::extend(Time asked) noexcept {
    if (isIdle()) return;
    ends_ = std::max(ends_, asked + lifeOf(limits_.lease));
    start(deadline_, ends_);
    if (!renewal_.isArmed() && renewing_ == 0) start(renewal_, now() + limits_.lease / 3);
}

/// What is on its way, or may be, would begin the session anew there.
void Caller::checkLease() noexcept {
    if (ends_ == Time{} || now() < ends_) return;
    try {
        cancel(unsaid());
    } catch (...) {
        // No memory: it ends with its lease there.
    }
    for (const auto& [id, asked] : close()) {
        asked->done.error(asked->isSent ? errors::CallLost : errors::RedisFailed,
                          "Redis was not reached for a lease");
    }
}

/// Of what Redis hasn't said anything.
std::vector<Caller::Held> Caller::unsaid() const {
    std::vector<Held> found;
    for (const auto& [id, asked] : left_) found.push_back(asked);
    for (const auto& [id, asked] : calls_) {
        if (!asked->isSent) found.push_back(asked);
    }
    return found;
}

/// One at a time. All that is waited for is named, so what nobody heard is said again.
void Caller::renew() noexcept {
    renewal_.stop();
    if (isIdle()) return;
    renewsAgain_ = renewing_ > 0;
    if (renewsAgain_) return;
    next_ = limits_.lease / 3;
    try {
        renewAll();
    } catch (...) {
        if (renewing_ == 0) start(renewal_, now() + limits_.lease / 10);
    }
}

void Caller::renewAll() {
    Ids named;
    for (const auto& [id, asked] : calls_) {
        if (asked->isSent) named.push_back(id);
    }
    std::vector<Held> left;
    for (const auto& [id, asked] : left_) left.push_back(asked);
    for (std::size_t at = 0; at == 0 || at < named.size(); at += kAtOnce) {
        const std::size_t size = std::min(named.size() - at, kAtOnce);
        name({named.data() + at, size}, [this](const Reply& reply) { renewed(reply); });
        ++renewing_;
    }
    cancel(left);
}

void Caller::name(std::span<const std::string> ids, Told told) {
    const Ids replied = acknowledged();
    Words words{"", std::to_string(replied.size())};
    words.insert(words.end(), replied.begin(), replied.end());
    words.insert(words.end(), ids.begin(), ids.end());
    script("calls/renew", std::move(words), replied, std::move(told));
}

void Caller::renewed(const Reply& reply) noexcept {
    --renewing_;
    try {
        say(reply);
        const std::int64_t ends = reply.list.at(1).number;
        if (ends >= 0) next_ = std::min(next_, std::chrono::milliseconds(ends + 1));
    } catch (...) {
        next_ = std::min(next_, limits_.lease / 10);  // an error, or no memory
    }
    if (renewing_ > 0 || isIdle()) return;
    if (renewsAgain_) return renew();
    start(renewal_, now() + next_);
}

/// What a renewal has said of calls.
void Caller::say(const Reply& reply) {
    const auto& said = reply.list.at(2).list;
    for (std::size_t i = 0; i + 1 < said.size(); i += 2) answered(said[i].text, said[i + 1].text);
    if (reply.list.at(0).number == 1) renew();
}

void Caller::again() noexcept {
    ++agains_;
    renew();
}

}  // namespace steptree::detail::redis
