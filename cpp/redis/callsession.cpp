#include <algorithm>
#include <utility>

#include "caller.hpp"
#include "newid.hpp"

/// The session of a caller.
namespace steptree::detail::redis {

void Caller::open() {
    std::string session = newId();
    channel_ = base_ + ":to:" + session;
    wire_.listen(channel_, shared_from_this());
    session_ = std::move(session);
}

/// The session is used no more. Who waits for these calls is to be told.
Caller::Calls Caller::close() noexcept {
    if (!session_.empty()) wire_.leave(channel_, *this);
    session_.clear();
    Calls lost = std::exchange(calls_, {});
    for (const auto& [id, asked] : lost) asked->patience.stop();
    left_.clear();
    replied_.clear();
    renewing_ = 0;
    restIfIdle();
    return lost;
}

void Caller::restIfIdle() noexcept {
    if (!isIdle()) return;
    renewal_.stop();
    deadline_.stop();
    ends_ = {};
}

void Caller::start(Timer& timer, Time due) noexcept {
    timer.start(wire_.timers(), due, shared_from_this());
}

/// Runs one of the session, in which the replies of these are acknowledged. Its answer is told
/// while the session is the same.
void Caller::script(const char* name, Words args, Ids replied, Told told) {
    args.insert(args.begin(), {session_, std::to_string(limits_.lease.count())});
    const bool isLive = std::string_view(name) != "calls/cancel";
    RedisConnection::Access::script(
        connection_, name, base_, std::move(args),
        [self = shared_from_this(), session = session_, asked = now(), isLive,
         replied = std::move(replied), told = std::move(told)](const Reply& reply) {
            if (self->session_ != session) return;
            if (reply.isError()) {
                self->acknowledgeAgain(replied);
            } else if (isLive) {
                self->extend(asked);
                self->checkLease();
                if (self->session_ != session) return;
            }
            try {
                told(reply);
            } catch (...) {
                return;  // no memory: the next renewal makes it good
            }
        });
}

/// Without memory they stay there till the session is over.
void Caller::acknowledgeAgain(const Ids& replied) noexcept {
    try {
        replied_.insert(replied_.end(), replied.begin(), replied.end());
    } catch (...) {
        return;
    }
}

Caller::Ids Caller::acknowledged() {
    const std::size_t rest = replied_.size() - std::min(replied_.size(), kAtOnce);
    Ids ids(replied_.begin() + rest, replied_.end());
    replied_.resize(rest);
    return ids;
}

}  // namespace steptree::detail::redis
