#include "redisplaces.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ask.hpp"
#include "steptree/codes.hpp"

/// Asking for places, and giving them back.
namespace steptree::detail::redis {

namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kFirstPause = 50;  // ms
constexpr std::int64_t kLongestPauseMs = 2000;

std::vector<std::string> limitsOf(const PlacesOptions& options) {
    const auto text = [](std::int64_t number) { return std::to_string(number); };
    std::vector<std::string> made{options.max == kUnlimited ? "" : text(options.max)};
    if (const auto& rate = options.rate) {
        made.insert(made.end(),
                    {rate->algorithm, text(rate->max), text(rate->period), text(rate->burst)});
    } else {
        made.insert(made.end(), 4, "");
    }
    return made;
}

/// Calls a member of what a timer is of.
template <auto fire>
void fired(void* of) noexcept {
    (static_cast<RedisPlaces*>(of)->*fire)();
}

}  // namespace

Ticket::Ticket(std::shared_ptr<RedisPlaces> of, std::int64_t number, std::int64_t count,
               bool isInside)
    : RemotePlace(count, isInside),
      places(std::move(of)),
      id(std::to_string(number) + "." + std::to_string(count)),
      timer(
          [](void* ticket) noexcept {
              Ticket& timed = *static_cast<Ticket*>(ticket);
              timed.places->timed(timed);
          },
          this) {}

RedisPlaces::RedisPlaces(RedisConnection& connection, std::string key, PlacesOptions options)
    : RemoteSource(options.max, options.rate.has_value()),
      connection_(connection),
      wire_(RedisConnection::Access::wire(connection)),
      key_(std::move(key)),
      options_(std::move(options)),
      timer_(&fired<&RedisPlaces::renew>, this),
      deadline_(&fired<&RedisPlaces::checkLease>, this),
      looking_(&fired<&RedisPlaces::look>, this) {
    if (!options_.share) return;
    share_.emplace(*options_.share, [this](Sharer& one) {
        letInHere(std::static_pointer_cast<Ticket>(static_cast<Ticket&>(one).shared_from_this()));
    });
}

// ---- any thread

void RedisPlaces::counts(IAsyncSteps& asi) const {
    Words words{"", std::to_string(options_.lease.count())};
    const auto limits = limitsOf(options_);
    words.insert(words.end(), limits.begin(), limits.end());
    askScript(asi, connection_, key_, "guard/counts", std::move(words));
}

std::shared_ptr<RemotePlace> RedisPlaces::make(std::int64_t count, bool isInside) {
    return std::make_shared<Ticket>(shared_from_this(), next_++, count, isInside);
}

void RedisPlaces::ask(RemotePlace& place) noexcept {
    auto& ticket = static_cast<Ticket&>(place);
    ticket.asking.ticket = std::static_pointer_cast<Ticket>(ticket.shared_from_this());
    ticket.asking.run = [](Task& task) noexcept {
        const auto asked = std::move(static_cast<Ticket::Post&>(task).ticket);
        asked->places->begin(asked);
    };
    wire_.post(ticket.asking);
}

void RedisPlaces::free(RemotePlace& place) noexcept {
    auto& ticket = static_cast<Ticket&>(place);
    ticket.leaving.ticket = std::static_pointer_cast<Ticket>(ticket.shared_from_this());
    ticket.leaving.run = [](Task& task) noexcept {
        const auto left = std::move(static_cast<Ticket::Post&>(task).ticket);
        left->places->end(left);
    };
    wire_.post(ticket.leaving);
}

void RedisPlaces::close() noexcept {
    if (isClosing_.exchange(true)) return;  // by the other side of a lock
    closing_.of = shared_from_this();
    closing_.run = [](Task& task) noexcept {
        const auto places = std::move(static_cast<Closing&>(task).of);
        places->closed();
    };
    wire_.post(closing_);
}

// ---- asking

void RedisPlaces::begin(const Held& ticket) noexcept {
    checkLease();
    try {
        if (session_ == nullptr || (tickets_.empty() && session_->isDoubtful())) newSession();
        if (tickets_.empty()) wire_.channel().open(session_->number, weak_from_this());
        tickets_.emplace(ticket->id, ticket);
    } catch (...) {
        return refuse(ticket, errors::RedisFailed, "no memory");
    }
    ticket->session = session_;
    askAgain(ticket);
}

void RedisPlaces::newSession() {
    const auto look = [of = weak_from_this()](std::int64_t ms) {
        if (const auto places = of.lock()) places->lookIn(ms);
    };
    // Who comes behind a wait that is in vain has the other half of his patience.
    const ReplicasNeeded replicas{options_.replicas,
                                  std::chrono::ceil<milliseconds>(options_.patience / 2)};
    session_ = std::make_shared<RedisSession>(connection_, key_, options_.lease, limitsOf(options_),
                                              replicas, look);
}

/// Also for one that waited, when whether it still does isn't known.
void RedisPlaces::askAgain(const Held& ticket) noexcept {
    ticket->state = State::asked;
    const Time sent = now();
    const bool isHeard = wire_.channel().hears();
    if (!ticket->timer.isArmed())
        ticket->timer.start(wire_.timers(), sent + options_.patience, ticket);
    try {
        const bool isLimited = options_.maxQueue != kUnlimited;
        ticket->session->send("guard/acquire",
                              {ticket->id, isLimited ? std::to_string(options_.maxQueue) : "",
                               ticket->isInside ? "1" : ""},
                              [of = shared_from_this(), ticket, sent, isHeard](Reply answer) {
                                  --ticket->flying;
                                  of->answered(ticket, std::move(answer), sent, isHeard);
                              });
        ++ticket->asks;
        ++ticket->flying;
    } catch (...) {
        failed(ticket, "no memory");
    }
}

void RedisPlaces::timed(Ticket& of) noexcept {
    const auto ticket = std::static_pointer_cast<Ticket>(of.shared_from_this());
    if (!std::exchange(ticket->rests, false)) return failed(ticket, "no answer in time");
    askAgain(ticket);
}

void RedisPlaces::answered(const Held& ticket, Reply answer, Time sent, bool isHeard) noexcept {
    if (answer.isError() || answer.list.size() < 2) {
        if (!isSaid(answer)) ticket->isDoubtful = true;
        return failed(ticket, answer.isError() ? answer.text.c_str() : "unexpected answer");
    }
    const std::int64_t how = answer.list[0].number;
    const std::int64_t looks = answer.list[1].number;
    const bool isKept = how == 0 || (how == 1 && ticket->count > 0);
    const bool isLate = isKept && now() >= leaseFrom(sent);
    ticket->isDoubtful = isKept;
    if (how >= 0) lookIn(looks);
    if (ticket->isOver()) return clear(*ticket);
    if (isKept && !isLate) extend(sent);
    if (ticket->state == State::in || ticket->state == State::lost) return;  // asked for twice
    if (ticket->state == State::waits && how != 1) return;
    ticket->timer.stop();
    ticket->rests = false;
    if (isLate) return askAgain(ticket);
    ticket->since = now();
    if (how < 0) return refuse(ticket, errors::DefenseRejected, "the queue is full", looks);
    if (how == 1) {
        const bool hasToken = answer.list.size() > 2;
        return grant(ticket, hasToken ? std::move(answer.list[2].text) : std::string());
    }
    ticket->state = State::waits;
    leaveShare(*ticket);
    if (ticket->isTold) isTold(ticket);
    if (isHeard) return;
    if (wire_.channel().hears()) return renew();
    wire_.channel().listen();
}

void RedisPlaces::grant(const Held& ticket, std::string token) noexcept {
    ticket->timer.stop();
    ticket->state = State::in;
    ticket->since = now();
    leaveShare(*ticket);
    letIn(ticket, std::move(token));
}

void RedisPlaces::letInHere(const Held& ticket) noexcept {
    ticket->timer.stop();
    ticket->state = State::local;
    clear(*ticket);
    letIn(ticket, {});
}

void RedisPlaces::letIn(const Held& ticket, std::string token) noexcept {
    const bool isSpent = ticket->count == 0;
    if (isSpent) forget(ticket);
    if (!ticket->RemotePlace::grant(std::move(token)) && !isSpent) drop(ticket);
}

void RedisPlaces::refuse(const Held& ticket, std::string_view code, const char* why,
                         std::int64_t retryAfter) noexcept {
    forget(ticket);
    leaveShare(*ticket);
    clear(*ticket);
    ticket->RemotePlace::refuse(code, why, retryAfter);
}

/// Redis is down, or says no.
void RedisPlaces::failed(const Held& ticket, const char* why) noexcept {
    if (ticket->isOver()) return clear(*ticket);
    if (ticket->state != State::asked) return;
    ticket->timer.stop();
    if (options_.whenDown == WhenDown::fail) return refuse(ticket, errors::RedisFailed, why);
    const std::int64_t rest =
        std::min(kFirstPause << std::min(ticket->tries++, 10), kLongestPauseMs);
    ticket->rests = true;
    ticket->timer.start(wire_.timers(), now() + milliseconds(rest), ticket);
    if (!share_) return;
    try {
        share_->enter(*ticket, ticket->count, wire_.timers());
    } catch (...) {
        // It enters with its next try.
    }
}

// ---- giving back

void RedisPlaces::end(const Held& ticket) noexcept {
    if (ticket->state == State::lost) {
        ticket->state = State::gone;
        lost_.erase(ticket->id);
        ticket->session->giveBack({&ticket->id, 1});
    } else if (ticket->state != State::gone) {
        drop(ticket);
    }
}

void RedisPlaces::drop(const Held& ticket) noexcept {
    if (ticket->state == State::in || ticket->state == State::waits) ticket->isDoubtful = true;
    forget(ticket);
    leaveShare(*ticket);
    clear(*ticket);
}

/// What Redis may know of it is given back once nothing more can come of it.
void RedisPlaces::clear(Ticket& ticket) noexcept {
    if (!ticket.isDoubtful || ticket.flying > 0) return;
    ticket.isDoubtful = false;
    ticket.session->giveBack({&ticket.id, 1});
}

void RedisPlaces::forget(const Held& ticket) noexcept {
    ticket->timer.stop();
    ticket->state = State::gone;
    tickets_.erase(ticket->id);
    if (tickets_.empty()) rest();
}

void RedisPlaces::leaveShare(Ticket& ticket) noexcept {
    if (share_) share_->leave(ticket);
}

void RedisPlaces::closed() noexcept {
    while (!tickets_.empty()) drop(Held(tickets_.begin()->second));
    while (!lost_.empty()) end(Held(lost_.begin()->second));
}

}  // namespace steptree::detail::redis
