#include "caller.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calls.hpp"
#include "error.hpp"
#include "failures.hpp"
#include "jobtext.hpp"
#include "newid.hpp"
#include "steptree/error.hpp"

namespace steptree::detail::redis {

namespace {

using std::chrono::milliseconds;

/// So many are named, or acknowledged, by one script.
constexpr std::size_t kAtOnce = 500;

StepError errorOf(const Failure& failure, std::exception_ptr cause) {
    const auto& [code, info, path, wait] = failure;
    StepError made =
        path.empty() ? StepError(code, info, cause) : raisedElsewhere(code, info, path, cause);
    made.data()->retryAfter = wait;
    return made;
}

/// The first one is caused by those behind it.
std::exception_ptr errorOf(const std::vector<Failure>& failures) {
    std::exception_ptr made;
    for (std::size_t i = failures.size(); i > 0; --i) {
        made = std::make_exception_ptr(errorOf(failures[i - 1], made));
    }
    return made;
}

/// As a reply says it, which may be anybody's.
void complete(const Completion& done, const std::string& reply, std::int64_t mostDepth) noexcept {
    try {
        std::vector<Failure> failures;
        std::string text = reply.substr(std::min<std::size_t>(1, reply.size()));
        if (reply.starts_with('+')) {
            if (text.empty()) text = "null";
            const std::string why = whyNoPayload(text, mostDepth, "the reply");
            if (why.empty()) return static_cast<void>(done.success(std::move(text)));
            failures.push_back(failureOf(errors::InternalError, why));
        } else {
            for (const auto& one : listIn(text)) failures.push_back(failureIn(one));
        }
        if (failures.empty())
            failures.push_back(failureOf(errors::InternalError, "the reply is none"));
        done.fail(errorOf(failures));
    } catch (...) {
        done.fail(std::current_exception());
    }
}

}  // namespace

Asked::Asked(std::shared_ptr<Caller> caller, Completion done)
    : caller_(std::move(caller)), done_(std::move(done)) {}

void Asked::leave() noexcept {
    caller_->left(*this);
}

Alarm::Clock::time_point Asked::due(Clock::time_point) noexcept {
    caller_->late(*this);
    return Clock::time_point::max();
}

Caller::Caller(RedisConnection& connection, std::string name, std::string base,
               const RedisServiceOptions& limits)
    : wire_(RedisConnection::Access::wire(connection)),
      connection_(connection),
      name_(std::move(name)),
      base_(std::move(base)),
      limits_(limits) {}

void Caller::end() noexcept {
    const Guarded locked(mutex_);
    for (const auto& [id, asked] : calls_) wire_.drop(*asked);
    close();
}

/// The session is used no more. Who waits for these calls is to be told.
Caller::Calls Caller::close() noexcept {
    if (!session_.empty()) wire_.leave(channel_, *this);
    wire_.drop(*this);
    session_.clear();
    sending_.clear();
    left_.clear();
    replied_.clear();
    next_ = Clock::time_point::max();
    return std::exchange(calls_, {});
}

std::shared_ptr<Asked> Caller::ask(const Request& request, std::int64_t left, Completion done) {
    const auto asked = std::make_shared<Asked>(shared_from_this(), std::move(done));
    const auto now = Clock::now();
    check(now);
    const Guarded locked(mutex_);
    if (session_.empty()) open();
    if (isIdle()) ends_ = now + lifeOf(limits_.lease);
    asked->id_ = session_ + "/" + std::to_string(count_++);
    calls_.emplace(asked->id_, asked);
    try {
        wire_.at(now + limits_.patience, asked);
        schedule(now + limits_.lease / 3);
        send(asked, request, left);
    } catch (...) {
        sending_.erase(asked->id_);
        take(*asked);
        throw;
    }
    return asked;
}

/// Whether it's over: a process that was paused sees that before its timers say so.
void Caller::check(Clock::time_point now) noexcept {
    Calls lost;
    {
        const Guarded locked(mutex_);
        if (session_.empty() || isIdle() || ends_ > now) return;
        lost = close();
    }
    for (const auto& [id, asked] : lost) {
        wire_.drop(*asked);
        asked->done_.error(errors::CallLost, "Redis was not reached for a lease");
    }
}

void Caller::open() {
    std::string session = newId();
    channel_ = base_ + ":to:" + session;
    wire_.listen(channel_, shared_from_this());
    session_ = std::move(session);
}

void Caller::send(const std::shared_ptr<Asked>& asked, const Request& request, std::int64_t left) {
    const bool isLimited = limits_.maxQueue != kUnlimited;
    const Ids replied = acknowledged();
    Words words{asked->id_,          request.method,
                request.args,        left < 0 ? "" : std::to_string(left),
                request.traceparent, isLimited ? std::to_string(limits_.maxQueue) : ""};
    words.insert(words.end(), replied.begin(), replied.end());
    sending_.insert(asked->id_);
    script("calls/send", std::move(words), replied,
           [this, asked, agains = agains_](const Reply& reply) { sent(asked, agains, reply); });
}

/// Redis has said that it has it, or not. With the lock, as all that a script answers.
void Caller::sent(const std::shared_ptr<Asked>& asked, std::uint64_t agains, const Reply& reply) {
    sending_.erase(asked->id_);
    if (reply.isError()) return fail(*asked, errors::RedisFailed, reply.text);
    if (std::ranges::find(left_, asked->id_) != left_.end()) cancel();
    if (!calls_.contains(asked->id_)) return;
    if (reply.number == 0) {
        take(*asked);
        const std::string most = std::to_string(limits_.maxQueue);
        asked->done_.error(errors::DefenseRejected,
                           "service \"" + name_ + "\": " + most + " calls wait");
        return;
    }
    wire_.drop(*asked);
    asked->isSent_ = true;
    // A renewal that hasn't named it was to find what nobody heard.
    if (agains != agains_) renew();
}

/// Whether Redis has it isn't known: if it has, it forgets it.
void Caller::fail(Asked& asked, std::string_view code, std::string_view why) {
    if (take(asked)) {
        asked.done_.error(code, why);
        left_.push_back(asked.id_);
    }
    cancel();
}

void Caller::late(Asked& asked) noexcept {
    const Guarded locked(mutex_);
    try {
        if (!asked.isSent_) fail(asked, errors::RedisFailed, "no answer in time");
    } catch (...) {
        return;  // no memory to cancel it: it is when the session ends
    }
}

void Caller::left(Asked& asked) noexcept {
    const Guarded locked(mutex_);
    try {
        if (!take(asked)) return;
        left_.push_back(asked.id_);
        cancel();
    } catch (...) {
        return;  // the same
    }
}

bool Caller::take(Asked& asked) noexcept {
    wire_.drop(asked);
    return calls_.erase(asked.id_) > 0;
}

/// What is left, until Redis has said that it knows.
void Caller::cancel() {
    if (left_.empty()) return;
    const Ids ids(left_.begin(), left_.begin() + std::min(left_.size(), kAtOnce));
    Ids sent = ids;
    std::erase_if(sent, [this](const std::string& id) { return sending_.contains(id); });
    script("calls/cancel", ids, {}, [this, sent = std::move(sent)](const Reply& reply) {
        if (reply.isError()) return;
        for (const std::string& id : sent) std::erase(left_, id);
    });
}

Caller::Ids Caller::acknowledged() {
    const std::size_t rest = replied_.size() - std::min(replied_.size(), kAtOnce);
    Ids ids(replied_.begin() + rest, replied_.end());
    replied_.resize(rest);
    return ids;
}

/// Runs one of the session, in which the replies of these are acknowledged. Its answer is told with
/// the lock, while the session is the same.
void Caller::script(const char* name, Words args, Ids replied,
                    std::function<void(const Reply&)> told) {
    args.insert(args.begin(), {session_, std::to_string(limits_.lease.count())});
    RedisConnection::Access::script(
        connection_, name, base_, std::move(args),
        [self = shared_from_this(), session = session_, when = Clock::now(),
         replied = std::move(replied), told = std::move(told),
         isRenewal = std::string_view(name) != "calls/cancel"](const Reply& reply) {
            const Guarded locked(self->mutex_);
            if (self->session_ != session) return;
            try {
                if (reply.isError()) {
                    self->replied_.insert(self->replied_.end(), replied.begin(), replied.end());
                } else if (isRenewal) {
                    self->ends_ = std::max(self->ends_, when + lifeOf(self->limits_.lease));
                }
                told(reply);
            } catch (...) {
                return;  // no memory: the next renewal makes it good
            }
        });
}

/// All that is waited for is named, so what nobody heard is said again.
void Caller::renew() {
    Ids named;
    for (const auto& [id, asked] : calls_) {
        if (asked->isSent_) named.push_back(id);
    }
    for (std::size_t at = 0; at == 0 || at < named.size(); at += kAtOnce) {
        const std::size_t size = std::min(named.size() - at, kAtOnce);
        renew({named.data() + at, size});
    }
    cancel();
}

void Caller::renew(std::span<const std::string> named) {
    const Ids replied = acknowledged();
    Words words{"", std::to_string(replied.size())};
    words.insert(words.end(), replied.begin(), replied.end());
    words.insert(words.end(), named.begin(), named.end());
    script("calls/renew", std::move(words), replied,
           [this](const Reply& reply) { renewed(reply); });
}

void Caller::renewed(const Reply& reply) {
    const auto now = Clock::now();
    if (reply.isError()) return schedule(now + limits_.lease / 10);
    const auto& said = reply.list.at(2).list;
    for (std::size_t i = 0; i + 1 < said.size(); i += 2) answered(said[i].text, said[i + 1].text);
    if (isIdle()) return;
    if (reply.list.at(0).number == 1) return renew();
    const std::int64_t ends = reply.list.at(1).number;
    if (ends >= 0) schedule(now + milliseconds(ends + 1));
}

/// '': Redis knows nothing of it any more.
void Caller::answered(const std::string& id, const std::string& reply) {
    if (!reply.empty()) replied_.push_back(id);
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    const std::shared_ptr<Asked> asked = found->second;
    take(*asked);
    if (reply.empty()) {
        asked->done_.error(errors::CallLost, "Redis does not know it any more");
    } else {
        complete(asked->done_, reply, limits_.maxDepth);
    }
}

void Caller::heard(const std::string& text) noexcept {
    check(Clock::now());
    const Guarded locked(mutex_);
    try {
        const std::size_t at = text.find(' ');
        if (session_.empty() || !text.starts_with(session_)) return;
        if (at != text.npos) return answered(text.substr(0, at), text.substr(at + 1));
        if (calls_.contains(text)) renew({&text, 1});
    } catch (...) {
        return;  // no memory: the next renewal makes it good
    }
}

void Caller::again() noexcept {
    const Guarded locked(mutex_);
    try {
        ++agains_;
        if (!session_.empty() && !isIdle()) renew();
    } catch (...) {
        return;  // the same
    }
}

void Caller::schedule(Clock::time_point time) {
    if (time >= next_) return;
    wire_.at(time, shared_from_this());
    next_ = time;
}

/// It has to be renewed, or is over.
Alarm::Clock::time_point Caller::due(Clock::time_point now) noexcept {
    check(now);
    const Guarded locked(mutex_);
    next_ = Clock::time_point::max();
    if (session_.empty() || isIdle()) return next_;
    try {
        renew();
        next_ = std::min(next_, now + limits_.lease / 3);
    } catch (...) {
        next_ = now + limits_.lease / 10;  // no memory: it's tried again
    }
    return next_ = std::min(next_, ends_);
}

}  // namespace steptree::detail::redis
