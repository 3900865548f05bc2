#include "redissession.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "redischannel.hpp"

namespace steptree::detail::redis {

namespace {

constexpr std::size_t kAtOnce = 500;  // are given back by one script

bool saysWhatIsIn(std::string_view script) noexcept {
    return script == "guard/acquire" || script == "guard/renew";
}

}  // namespace

bool isSaid(const Reply& failure) noexcept {
    return failure.kind == Reply::Kind::error;
}

RedisSession::RedisSession(RedisConnection& connection, std::string key,
                           std::chrono::milliseconds lease, const std::vector<std::string>& limits,
                           const ReplicasNeeded& replicas, std::function<void(std::int64_t)> look)
    : number(RedisConnection::Access::wire(connection).channel().number()),
      connection_(connection),
      wire_(RedisConnection::Access::wire(connection)),
      key_(std::move(key)),
      lease_(lease),
      arguments_{wire_.channel().session(number), std::to_string(lease.count())},
      replicas_(replicas),
      look_(std::move(look)),
      retry_([](void* of) noexcept { static_cast<RedisSession*>(of)->pay(); }, this) {
    arguments_.insert(arguments_.end(), limits.begin(), limits.end());
}

void RedisSession::send(std::string_view script, std::vector<std::string> own, Answer answer) {
    Words words = arguments_;
    words.insert(words.end(), std::move_iterator(own.begin()), std::move_iterator(own.end()));
    auto heard = [of = shared_from_this(), answer = std::move(answer)](Reply reply) {
        if (!reply.isError()) {
            of->pay();
        } else if (!isSaid(reply)) {
            of->isDoubtful_ = true;
        }
        answer(std::move(reply));
    };
    using Access = RedisConnection::Access;
    if (replicas_.count > 0 && saysWhatIsIn(script)) {
        Access::replicated(connection_, script, key_, std::move(words), replicas_,
                           std::move(heard));
    } else {
        Access::script(connection_, script, key_, std::move(words), std::move(heard));
    }
}

void RedisSession::giveBack(std::span<const std::string> ids) noexcept {
    const Time until = wire_.timers().now() + lease_;
    for (std::size_t i = 0; i < ids.size(); i += kAtOnce) {
        const auto some = ids.subspan(i, std::min(kAtOnce, ids.size() - i));
        try {
            release({some.begin(), some.end()}, until);
        } catch (...) {
            isDoubtful_ = true;  // no memory: it ends with its lease, or a renewal finds it
        }
    }
}

void RedisSession::release(Ids ids, Time until) {
    auto words = ids;
    send("guard/release", std::move(words),
         [of = shared_from_this(), ids = std::move(ids), until](const Reply& answer) {
             if (answer.isError()) return of->owe(ids, until);
             if (answer.list.size() > 1) of->look_(answer.list[1].number);
         });
}

void RedisSession::owe(const Ids& ids, Time until) noexcept {
    Timers& timers = wire_.timers();
    if (timers.now() >= until) return;
    try {
        owed_.insert(owed_.end(), ids.begin(), ids.end());
    } catch (...) {
        isDoubtful_ = true;
        return;
    }
    until_ = std::max(until_, until);
    if (!retry_.isArmed()) retry_.start(timers, timers.now() + lease_ / 10, shared_from_this());
}

/// Redis is there again, or may be.
void RedisSession::pay() noexcept {
    const auto kept = shared_from_this();
    retry_.stop();
    const Ids owed = std::exchange(owed_, {});
    for (std::size_t i = 0; i < owed.size(); i += kAtOnce) {
        try {
            const auto some = std::span(owed).subspan(i, std::min(kAtOnce, owed.size() - i));
            release({some.begin(), some.end()}, until_);
        } catch (...) {
            isDoubtful_ = true;
        }
    }
}

}  // namespace steptree::detail::redis
