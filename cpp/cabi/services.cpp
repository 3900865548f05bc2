#include "services.hpp"

#include <iterator>
#include <utility>

#include "errors.hpp"
#include "pluginapi.hpp"
#include "steptree/detail/wrapping.hpp"
#include "steptree/local.hpp"
#include "steptree/pluginhost.hpp"

namespace steptree::cabi {

// What is taken out of the maps, or refused, is declared before the lock: it's destroyed after
// that.

Services::Offers* Services::placeOf(const Offerer& by) noexcept {
    if (gone_) return nullptr;
    if (by.generation == 0) return &open_;
    const auto starting = starting_.find(by.generation);
    if (starting != starting_.end()) return &starting->second;
    return serving_.count(by.generation) == 0 ? nullptr : &open_;
}

void Services::offer(std::string_view name, AnyStep step, const Offerer& by) {
    if (name.empty()) misuse("offer: expected a name");
    Offers made;
    made.emplace(name, Offer{std::move(step), by});
    Offers::node_type old;
    const std::lock_guard locked(mutex_);
    Offers* const place = placeOf(by);
    if (place == nullptr) misuse("offer: the host has gone, or the plug-in takes no calls");
    old = place->extract(made.begin()->first);
    place->merge(made);
}

void Services::withdraw(std::string_view name, const Offerer& by) {
    Offers::node_type old;
    const std::lock_guard locked(mutex_);
    Offers* const place = placeOf(by);
    if (place == nullptr) return;
    const auto found = place->find(name);
    if (found == place->end()) return;
    const bool may = by.generation == 0 || found->second.by.generation == by.generation;
    if (may) old = place->extract(found);
}

std::optional<Services::Call> Services::find(std::string_view name) const {
    const std::lock_guard locked(mutex_);
    const auto found = open_.find(name);
    if (found == open_.end()) return std::nullopt;
    const Offer& offer = found->second;
    return Call{offer.step, Hold<HeldAs::step>(offer.by.code)};
}

void Services::prepare(const Offerer& by) {
    Starting starting;
    starting.try_emplace(by.generation);
    std::set<std::uint64_t> serving{by.generation};
    const std::lock_guard locked(mutex_);
    starting_.merge(starting);
    serving_.merge(serving);
}

Services::Ended Services::open(const Offerer& by) noexcept {
    const std::lock_guard locked(mutex_);
    Ended ended{{}, starting_.extract(by.generation)};
    if (ended.unseen.empty()) return ended;
    ended.offers.swap(open_);
    open_.swap(ended.unseen.mapped());
    open_.merge(ended.offers);  // what has a name of the new ones stays where it is
    return ended;
}

Services::Ended Services::end(const Offerer& by) noexcept {
    const std::lock_guard locked(mutex_);
    serving_.erase(by.generation);
    Ended ended{{}, starting_.extract(by.generation)};
    for (auto at = open_.begin(); at != open_.end();) {
        const auto next = std::next(at);
        if (at->second.by.generation == by.generation) ended.offers.insert(open_.extract(at));
        at = next;
    }
    return ended;
}

void Services::clear() noexcept {
    Offers old;
    Starting unstarted;
    const std::lock_guard locked(mutex_);
    gone_ = true;
    old.swap(open_);
    unstarted.swap(starting_);
}

namespace {

/// So many calls of services may stand inside of each other.
constexpr unsigned kDeepest = 256;

/// How many stand around, and this one, is told to those inside.
void countDepth(IAsyncSteps& asi, const std::string& name) {
    static const Local<unsigned> depth("calls of services");
    const unsigned* const around = depth.get(asi);
    const unsigned its = around == nullptr ? 1 : *around + 1;
    if (its > kDeepest) {
        throw StepError(errors::InternalError, "service '" + name + "': it is called inside of " +
                                                   std::to_string(kDeepest) + " calls of services");
    }
    depth.set(asi, its);
}

/// A step with values that are moved into it, for one run.
struct GivenBlock : detail::WrappingBlock {
    GivenBlock(const detail::StepValue& step, Results&& given)
        : WrappingBlock(step), values(std::move(given)) {
        bind = &move;
    }

    static void move(const detail::SequenceDefinition& bound, Results& into) {
        into = std::move(static_cast<const GivenBlock&>(bound).values);
    }

    mutable Results values;
};

}  // namespace

AnyStep serviceStep(std::weak_ptr<const Services> of, std::string name) {
    if (name.empty()) misuse("service: expected a name");
    const auto body = [of = std::move(of), name](IAsyncSteps& asi, const Results& values) {
        countDepth(asi, name);
        const std::shared_ptr<const Services> services = of.lock();
        std::optional<Services::Call> call;
        if (services != nullptr) call = services->find(name);
        if (!call) {
            throw StepError(PluginHost::kNoService, "no service '" + name + "' is offered");
        }
        if (call->hold.code() != nullptr) {
            // It goes with the step, after all that is inside of it.
            const auto& hold = asi.stack<Hold<HeldAs::step>>(std::move(call->hold));
            ofPlugin().set(asi, hold.code());
        }
        asi.add(AnyStep(
            detail::around<GivenBlock>(call->step, std::move(const_cast<Results&>(values)))));
    };
    return steptree::step<AnyValues, AnyValues>(body).named(name);
}

}  // namespace steptree::cabi
