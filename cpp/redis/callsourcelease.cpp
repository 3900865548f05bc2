#include <algorithm>
#include <utility>

#include "callsource.hpp"
#include "newid.hpp"

/// The session of a server, and its lease.
namespace steptree::detail::redis {

namespace {

using std::chrono::milliseconds;

Wire& wireOf(const RedisService& service) noexcept {
    return RedisConnection::Access::wire(RedisService::Access::connection(service));
}

}  // namespace

void CallSource::open(Clock::time_point now) {
    std::string session = newId();
    channel_ = RedisService::Access::base(service_) + ":to:" + session;
    wireOf(service_).listen(channel_, news_);
    session_ = std::move(session);
    isWhole_ = true;
    ends_ = now + lifeOf(limits_.lease);
}

void CallSource::endListening() noexcept {
    if (!session_.empty()) wireOf(service_).leave(channel_, *news_);
    session_.clear();
}

/// The lease is over: Redis finds that out by itself.
void CallSource::over() {
    endListening();
    isIdle_ = false;
    for (const Held& work : std::vector<Held>(held_.begin(), held_.end())) work->stop(End::lost);
    waker_->gate.open();
}

Clock::time_point CallSource::expire(Clock::time_point now) {
    if (!session_.empty() && ends_ <= now) over();
    return WorkSource::expire(now);
}

void CallSource::extend(Clock::time_point asked) {
    ends_ = std::max(ends_, asked + lifeOf(limits_.lease));
    for (const auto& [id, work] : calls_) {
        if (callOf(work).session == session_) work->expires = ends_;
    }
}

milliseconds CallSource::renewIn() const noexcept {
    return renewIn_;
}

void CallSource::renew(IAsyncSteps& asi) {
    const auto asked = Clock::now();
    if (!session_.empty() && ends_ <= asked) over();
    if (session_.empty()) return;
    renewIn_ = limits_.lease / 10;  // if it fails
    // All is named that it has by the takes up to that number.
    const auto settled = isTaking_ ? takes_ - 1 : takes_;
    Words words{isWhole_ ? std::to_string(settled) : "", "0"};
    for (const auto& [id, work] : calls_) {
        if (work->end != End::lost) words.push_back(id);
    }
    ask(asi, "calls/renew", session_, std::move(words));
    asi.add([this, asked, session = session_](IAsyncSteps& heeding, const Reply& answer) {
        if (session == session_) renewed(heeding, answer, asked);
    });
}

/// What Redis says something of isn't this server's any more.
void CallSource::renewed(IAsyncSteps& asi, const Reply& answer, Clock::time_point asked) {
    extend(asked);
    waker_->gate.open();  // what comes may not have been told
    const auto& said = answer.list.at(2).list;
    for (std::size_t i = 0; i < said.size(); i += 2) stop(said[i].text);
    const std::int64_t ends = answer.list.at(1).number;
    renewIn_ = limits_.lease / 3;
    if (ends >= 0) renewIn_ = std::min(renewIn_, milliseconds(ends + 1));
    if (answer.list.at(0).number == 1) renew(asi);
}

void CallSource::stop(const std::string& id) {
    if (isTaking_) left_.insert(id);
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    const Held work = found->second;
    work->stop(End::lost);
}

void CallSource::watch(IAsyncSteps& asi) {
    asi.loop([this](IAsyncSteps& round) {
        news_->gate.wait(round);
        round.add(
            [this](IAsyncSteps& heeding) {
                const auto [ids, isMissing] = news_->taken();
                for (const std::string& id : ids) stop(id);
                if (!isMissing) return;
                waker_->gate.open();
                heeding.setTimeout(limits_.lease / 3);
                renew(heeding);
            },
            [](IAsyncSteps& failed, const std::string&) { failed.success(); });
    });
}

}  // namespace steptree::detail::redis
