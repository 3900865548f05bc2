#include "callsource.hpp"

#include <utility>

namespace steptree::detail::redis {

namespace {

using Service = RedisService::Access;

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

}  // namespace steptree::detail::redis
