#include "caller.hpp"

#include <algorithm>
#include <utility>

#include "callreply.hpp"
#include "calls.hpp"
#include "steptree/error.hpp"

/// Asking.
namespace steptree::detail::redis {

Caller::Caller(RedisConnection& connection, std::string name, std::string base,
               const RedisServiceOptions& limits)
    : connection_(connection),
      wire_(RedisConnection::Access::wire(connection)),
      name_(std::move(name)),
      base_(std::move(base)),
      limits_(limits),
      renewal_([](void* of) noexcept { static_cast<Caller*>(of)->renew(); }, this),
      deadline_([](void* of) noexcept { static_cast<Caller*>(of)->checkLease(); }, this) {}

// ---- any thread

std::shared_ptr<Asked> Caller::ask(Request request, Completion done) {
    const auto asked =
        std::make_shared<Asked>(shared_from_this(), std::move(request), std::move(done));
    asked->ask();
    return asked;
}

void Caller::end() noexcept {
    ending_.of = shared_from_this();
    ending_.run = [](Task& task) noexcept {
        const auto caller = std::move(static_cast<Ending&>(task).of);
        caller->close();
    };
    wire_.post(ending_);
}

// ---- asking

void Caller::begin(const Held& asked) noexcept {
    checkLease();
    try {
        if (session_.empty()) open();
        asked->id = session_ + "/" + std::to_string(count_++);
        calls_.emplace(asked->id, asked);
        if (ends_ == Time{}) extend(now());
        asked->patience.start(wire_.timers(), now() + limits_.patience, asked);
        send(asked);
    } catch (...) {
        take(asked->id);
        restIfIdle();
        asked->done.error(errors::RedisFailed, "no memory");
    }
}

void Caller::send(const Held& asked) {
    const bool isLimited = limits_.maxQueue != kUnlimited;
    auto& [method, args, traceparent, left] = asked->request;
    const Ids replied = acknowledged();
    Words words{asked->id,
                std::move(method),
                std::move(args),
                left < 0 ? "" : std::to_string(left),
                std::move(traceparent),
                isLimited ? std::to_string(limits_.maxQueue) : ""};
    words.insert(words.end(), replied.begin(), replied.end());
    script("calls/send", std::move(words), replied,
           [this, asked, agains = agains_](const Reply& reply) { sent(asked, agains, reply); });
    asked->isFlying = true;
}

/// Redis has said that it has it, or not.
void Caller::sent(const Held& asked, std::uint64_t agains, const Reply& reply) {
    asked->isFlying = false;
    if (left_.contains(asked->id)) cancel({&asked, 1});
    if (reply.isError()) return refused(*asked, reply.text);
    if (!calls_.contains(asked->id)) return;
    if (reply.number == 0) {
        take(asked->id);
        const std::string most = std::to_string(limits_.maxQueue);
        asked->done.error(errors::DefenseRejected,
                          "service \"" + name_ + "\": " + most + " calls wait");
        return restIfIdle();
    }
    isSent(*asked);
    // A renewal that hasn't named it was to find what nobody heard.
    if (agains != agains_) renew();
}

void Caller::isSent(Asked& asked) noexcept {
    asked.patience.stop();
    asked.isSent = true;
}

void Caller::refused(Asked& asked, std::string_view why) noexcept {
    if (asked.isSent) return;
    const Held held = take(asked.id);
    if (held == nullptr) return;
    cancel(held);
    held->done.error(errors::RedisFailed, why);
}

/// `ID REPLY`; or `ID` alone, if the reply is long. A process that was paused hears before its
/// timers fire.
void Caller::heard(const std::string& text) noexcept {
    checkLease();
    if (session_.empty() || !text.starts_with(session_)) return;
    try {
        const std::size_t at = text.find(' ');
        if (at != text.npos) return answered(text.substr(0, at), text.substr(at + 1));
        const auto found = calls_.find(text);
        if (found == calls_.end()) return;
        isSent(*found->second);  // though that is told later
        name({&text, 1}, [this](const Reply& reply) {
            if (!reply.isError()) say(reply);
        });
    } catch (...) {
        return;  // no memory: the next renewal makes it good
    }
}

/// '': Redis knows nothing of it any more.
void Caller::answered(const std::string& id, const std::string& reply) {
    if (!reply.empty()) replied_.push_back(id);
    const Held asked = take(id);
    if (asked == nullptr) return;
    if (reply.empty()) {
        asked->done.error(errors::CallLost, "Redis does not know it any more");
    } else {
        complete(asked->done, reply, limits_.maxDepth);
    }
    restIfIdle();
}

}  // namespace steptree::detail::redis
