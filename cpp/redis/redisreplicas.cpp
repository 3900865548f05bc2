#include "redisreplicas.hpp"

#include <string>

namespace steptree::detail::redis {

namespace {

/// It's done nevertheless, so it isn't said as Redis says what it has refused.
Reply unconfirmed(const std::string& why) {
    return {.kind = Reply::Kind::lost, .text = why};
}

}  // namespace

RedisReplicas::RedisReplicas(RedisOptions& options)
    : link_(options, {.up = [this] { ++connection_; }}) {}

void RedisReplicas::send(Words words, Answer answer) {
    commands_.push_back(std::make_unique<Command>(Command{std::move(words), std::move(answer)}));
    isUsed_ = true;
}

void RedisReplicas::confirm(Reply done, const ReplicasNeeded& needed, Answer answer) noexcept {
    const Key key{needed.count, needed.patience.count()};
    try {
        Waits& waits = waits_[key];
        waits.next.emplace_back();
        waits.next.back() = {std::move(done), connection_, std::move(answer)};
        if (waits.now.empty()) begin(key);
    } catch (...) {
        answer(Reply::gone("no memory"));
    }
}

void RedisReplicas::begin(const Key& key) noexcept {
    Waits& waits = waits_.at(key);
    waits.now.swap(waits.next);
    try {
        send({"WAIT", std::to_string(key.first), std::to_string(key.second)},
             [this, key](const Reply& have) { waited(key, have); });
    } catch (...) {
        waited(key, Reply::gone("no memory"));
    }
}

/// Who is told of it may ask again at once.
void RedisReplicas::waited(const Key& key, const Reply& have) noexcept {
    const auto found = waits_.find(key);
    std::vector<Done> all;
    all.swap(found->second.now);
    if (found->second.next.empty()) {
        waits_.erase(found);
    } else {
        begin(key);
    }
    for (Done& done : all) settle(done, key.first, have);
}

void RedisReplicas::settle(Done& done, std::int64_t needed, const Reply& have) const noexcept {
    const bool isCounted = have.kind == Reply::Kind::number;
    const bool isSame = done.connection == connection_;
    if (isCounted && isSame && have.number >= needed) return done.answer(std::move(done.reply));
    Reply why = Reply::gone("unconfirmed");
    try {
        if (!isCounted) {
            why = unconfirmed("the replicas weren't asked: " + have.text);
        } else if (!isSame) {
            why = unconfirmed("the connection was lost");
        } else {
            why = unconfirmed("only " + std::to_string(have.number) + " of " +
                              std::to_string(needed) + " replicas have it");
        }
    } catch (...) {
        // No memory to say it.
    }
    done.answer(std::move(why));
}

void RedisReplicas::flush() noexcept {
    if (!maySend()) return;
    for (auto& command : std::exchange(commands_, {})) {
        if (isClosed_) {
            command->answer(Reply::gone("closed"));
        } else {
            link_.send(std::move(command));
        }
    }
}

void RedisReplicas::close() noexcept {
    link_.close();
    isClosed_ = true;
    flush();
}

Link::Clock::time_point RedisReplicas::next() const noexcept {
    if (!isUsed_ || isClosed_) return Link::Clock::time_point::max();
    return maySend() && !commands_.empty() ? Link::Clock::time_point{} : link_.next();
}

void RedisReplicas::serve(short events, Link::Clock::time_point now) noexcept {
    if (isUsed_ && !isClosed_) link_.serve(events, now);
}

}  // namespace steptree::detail::redis
