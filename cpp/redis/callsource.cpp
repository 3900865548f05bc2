#include "callsource.hpp"

#include <algorithm>

#include "newid.hpp"

namespace steptree::detail::redis {

namespace {

using std::chrono::milliseconds;
using Service = RedisService::Access;

Wire& wireOf(const RedisService& service) noexcept {
    return RedisConnection::Access::wire(Service::connection(service));
}

}  // namespace

CallSource::CallSource(RedisService& service, std::shared_ptr<Waker> waker,
                       Server::Handlers handlers,
                       Function<bool(const std::string&, const std::string&)> accepts)
    : service_(service),
      limits_(Service::limits(service)),
      waker_(std::move(waker)),
      news_(std::make_shared<CallNews>(waker_)),
      handlers_(std::move(handlers)),
      accepts_(std::move(accepts)),
      renewIn_(limits_.lease / 3) {}

void CallSource::open(Clock::time_point now) {
    std::string session = newId();
    channel_ = Service::base(service_) + ":to:" + session;
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

void CallSource::ask(IAsyncSteps& asi, const char* script, const std::string& session, Words args) {
    args.insert(args.begin(), {session, std::to_string(limits_.lease.count())});
    askScript(asi, Service::connection(service_), Service::base(service_), script, std::move(args));
}

void CallSource::tell(IAsyncSteps& asi, const Report& report) {
    askScript(asi, Service::connection(service_), Service::base(service_), report.script,
              report.words);
}

void CallSource::take(IAsyncSteps& asi, std::int64_t room, std::function<void(const Held&)> begin) {
    const auto asked = Clock::now();
    if (!session_.empty() && ends_ <= asked) over();
    if (session_.empty()) open(asked);
    isTaking_ = true;
    ++takes_;
    asi.add(
        [this, room, session = session_](IAsyncSteps& taking) {
            ask(taking, "calls/take", session,
                {std::to_string(room), std::to_string(limits_.maxBytes), std::to_string(takes_)});
        },
        [this](IAsyncSteps&, const std::string&) { settle(); });
    asi.add([this, room, asked, session = session_, begin = std::move(begin)](IAsyncSteps&,
                                                                              const Reply& answer) {
        const auto left = settle();
        taken(answer, session, asked, room, [&left, &begin](const Held& work) {
            if (left.contains(callOf(work).data.id)) work->stop(End::lost);  // it isn't begun
            begin(work);
        });
    });
}

/// Gives what is left of what it was given.
std::unordered_set<std::string> CallSource::settle() noexcept {
    isTaking_ = false;
    return std::exchange(left_, {});
}

/// What is written there may be anybody's.
void CallSource::taken(const Reply& answer, const std::string& session, Clock::time_point asked,
                       std::int64_t room, const std::function<void(const Held&)>& begin) {
    const auto& calls = answer.list.at(0).list;
    const bool isOver = session != session_;
    if (!isOver) {
        isIdle_ = static_cast<std::int64_t>(calls.size()) < room;
        extend(asked);
    }
    if (isOver || answer.list.at(1).number == 1) waker_->gate.open();
    const auto heldOf = [&](const Reply& one) {
        const auto& of = one.list;
        const auto call = std::make_shared<HeldCall>();
        call->data = {.id = of.at(0).text,
                      .service = service_.name(),
                      .method = of.at(1).text,
                      .traceparent = of.at(4).text};
        call->session = session;
        call->args = of.at(2).text;
        call->left = of.at(3).number;
        call->expires = isOver ? Clock::time_point::min() : ends_;
        calls_[call->data.id] = call;
        return call;
    };
    beginAll(calls, heldOf, begin);
}

void CallSource::drop(const Held& work) noexcept {
    const auto found = calls_.find(callOf(work).data.id);
    if (found != calls_.end() && found->second == work) calls_.erase(found);
    WorkSource::drop(work);
}

/// It was run, so it mustn't be taken for one that was not begun.
void CallSource::lose(const Held& work) noexcept {
    isWhole_ = false;
    drop(work);
}

void CallSource::leave(IAsyncSteps& asi, bool always) {
    if (session_.empty() || (!std::exchange(isIdle_, false) && !always)) return;
    ask(asi, "calls/leave", session_, {"0"});
}

void CallSource::end(IAsyncSteps& asi) {
    if (session_.empty()) return;
    const std::string session = session_;
    endListening();
    ask(asi, "calls/leave", session, {"1"});
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
