#include <algorithm>
#include <cstdlib>
#include <utility>

#include "leaselife.hpp"
#include "redisplaces.hpp"

/// The lease of a session, and what its renewals tell.
namespace steptree::detail::redis {

namespace {

using std::chrono::milliseconds;

constexpr const char* kNotHeard = "Redis has not been heard of for the time of the lease";
constexpr const char* kNotKnown = "Redis does not know the place any more";

using Tokens = std::map<std::string, std::string, std::less<>>;

std::int64_t wholeOf(const std::string& token) noexcept {
    return std::strtoll(token.c_str(), nullptr, 10);
}

/// An entry has no place, which its ticket says.
bool isEntry(const std::string& id) noexcept {
    return id.ends_with(".0");
}

/// Behind the first four numbers of an answer: ticket, token, ticket, token.
Tokens tokensIn(Reply& answer) {
    Tokens made;
    for (std::size_t i = 4; i + 1 < answer.list.size(); i += 2) {
        made.emplace(std::move(answer.list[i].text), std::move(answer.list[i + 1].text));
    }
    return made;
}

}  // namespace

RedisPlaces::Time RedisPlaces::leaseFrom(Time sent) const noexcept {
    return sent + lifeOf(options_.lease);
}

void RedisPlaces::extend(Time sent) noexcept {
    if (tickets_.empty()) return;
    const Time ends = leaseFrom(sent);
    if (ends_ != Time::max() && ends < ends_) return;
    ends_ = ends;
    start(deadline_, ends);
    if (!timer_.isArmed()) start(timer_, now() + options_.lease / 3);
}

/// All that we have is lost when the lease is over, whatever the reason.
void RedisPlaces::checkLease() noexcept {
    if (now() < ends_) return;
    ends_ = Time::max();
    // Any of them may go meanwhile.
    for (auto at = tickets_.begin(); at != tickets_.end();) {
        const Held ticket = at->second;
        if (ticket->state == State::in) lose(ticket, kNotHeard);
        if (ticket->state == State::waits) askAgain(ticket);
        at = tickets_.upper_bound(ticket->id);
    }
}

/// It's given back when its section has closed.
void RedisPlaces::lose(const Held& ticket, const char* why) noexcept {
    auto node = tickets_.extract(ticket->id);
    ticket->state = State::lost;
    lost_.insert(std::move(node));
    if (tickets_.empty()) rest();
    ticket->RemotePlace::lose(why);
}

void RedisPlaces::start(Timer& timer, Time due) noexcept {
    timer.start(wire_.timers(), due, shared_from_this());
}

void RedisPlaces::renewSoon() noexcept {
    if (!tickets_.empty()) schedule(options_.lease / 10);
}

void RedisPlaces::schedule(std::chrono::nanoseconds time) noexcept {
    start(timer_, now() + time);
}

/// One at a time: an answer that is late says nothing of what came since.
void RedisPlaces::renew() noexcept {
    timer_.stop();
    if (tickets_.empty()) return;
    renewsAgain_ = isRenewing_;
    if (isRenewing_) return;
    isRenewing_ = true;
    const Time sent = now();
    try {
        session_->send("guard/renew", {told_ > 0 ? std::to_string(told_) : ""},
                       [of = shared_from_this(), by = session_, sent](Reply answer) {
                           of->renewed(answer, *by, sent);
                       });
    } catch (...) {
        isRenewing_ = false;
        renewSoon();
    }
}

void RedisPlaces::renewed(Reply& answer, const RedisSession& by, Time sent) noexcept {
    std::int64_t ends = -1;
    try {
        if (answer.list.size() >= 4) {
            ends = answer.list[2].number;
            if (&by != session_.get() || now() >= leaseFrom(sent)) {
                renewsAgain_ = true;  // what it says is over
            } else {
                if (answer.list[0].number == 1) extend(sent);
                lookIn(answer.list[1].number);
                compare(answer, sent);
            }
        }
    } catch (...) {
        ends = 0;  // no memory to look at it
    }
    isRenewing_ = false;
    if (tickets_.empty()) return;
    if (renewsAgain_) return renew();
    const std::chrono::nanoseconds usual = options_.lease / 3;
    schedule(ends < 0 ? usual : std::min<std::chrono::nanoseconds>(usual, milliseconds(ends + 1)));
}

/// What this process has, with what Redis has for it.
void RedisPlaces::compare(Reply& answer, Time sent) {
    const std::int64_t waiting = answer.list[3].number;
    const Tokens has = tokensIn(answer);
    std::vector<Held> known;
    for (const auto& [id, ticket] : tickets_) {
        if (ticket->since != Time{} && ticket->since < sent) known.push_back(ticket);
    }
    std::vector<Held> others;
    for (const Held& ticket : known) {
        if (ticket->state == State::waits && !has.contains(ticket->id)) others.push_back(ticket);
    }
    std::vector<std::string> strays;
    for (const auto& [id, token] : has) {
        const auto found = tickets_.find(id);
        const bool isWanted =
            found != tickets_.end() ? !found->second->isOver() : lost_.contains(id);
        if (isEntry(id)) {
            told_ = std::max(told_, wholeOf(token));
        } else if (!isWanted) {
            strays.push_back(id);
        }
    }
    session_->giveBack(strays);
    for (const Held& ticket : known) {
        const auto token = has.find(ticket->id);
        if (ticket->state == State::in && token == has.end()) {
            lose(ticket, kNotKnown);
        } else if (ticket->state == State::waits && token != has.end()) {
            grant(ticket, token->second);
        }
    }
    if (std::cmp_less_equal(others.size(), waiting)) return;
    for (const Held& ticket : others) {
        if (ticket->state == State::waits) askAgain(ticket);
    }
}

/// Nothing is asked for.
void RedisPlaces::rest() noexcept {
    timer_.stop();
    deadline_.stop();
    looking_.stop();
    ends_ = Time::max();
    if (session_ != nullptr) wire_.channel().close(session_->number);
}

/// A session that waits looks for all, when the next may enter; and who has found more to do than
/// one script does goes on.
void RedisPlaces::lookIn(std::int64_t ms) noexcept {
    if (ms >= 0) start(looking_, now() + milliseconds(ms));
}

void RedisPlaces::look() noexcept {
    try {
        session_->send("guard/look", {}, [of = shared_from_this()](const Reply& answer) {
            if (answer.kind != Reply::Kind::number) return of->renewSoon();
            of->lookIn(answer.number);
        });
    } catch (...) {
        renewSoon();
    }
}

/// `! ms`, or a ticket and its token. A process that was paused hears before its timers fire.
void RedisPlaces::told(std::string_view what, std::string more) noexcept {
    if (what == "!") return lookIn(wholeOf(more));
    checkLease();
    const auto found = tickets_.find(what);
    if (found == tickets_.end()) return;
    const Held ticket = found->second;
    if (ticket->state == State::asked) {
        ticket->isTold = true;
    } else if (ticket->state == State::waits && (ticket->asks > 1 || options_.replicas > 0)) {
        isTold(ticket);
    } else if (ticket->state == State::waits) {
        grant(ticket, std::move(more));
    }
}

/// It may be older than when it was asked for last, and replicas may not have it yet.
void RedisPlaces::isTold(const Held& ticket) noexcept {
    ticket->isTold = false;
    askAgain(ticket);
}

}  // namespace steptree::detail::redis
