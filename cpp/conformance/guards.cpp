#include "guards.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "actions.hpp"
#include "bodies.hpp"
#include "made.hpp"
#include "steptree/barrier.hpp"
#include "steptree/breaker.hpp"
#include "steptree/gate.hpp"
#include "steptree/keyed.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/throttle.hpp"
#include "text.hpp"

namespace conformance {

using steptree::IAsyncSteps;

namespace {

/// What is no whole number has no type here: it is one less than is allowed.
std::int64_t limit(const Json& given, const char* key, std::int64_t least, std::int64_t otherwise) {
    if (!given.contains(key)) return otherwise;
    const Json& value = given[key];
    if (isText(value, "Infinity")) return steptree::kUnlimited;
    if (!value.is_number()) return least - 1;
    const double number = value.get<double>();
    return std::floor(number) == number ? static_cast<std::int64_t>(number) : least - 1;
}

steptree::Abandoned abandoned(const Json& given) {
    const bool releases = given.value("abandoned", "keep") == "release";
    return releases ? steptree::Abandoned::release : steptree::Abandoned::keep;
}

using Place = std::shared_ptr<void>;

const char* nameOf(steptree::BreakerState state) {
    if (state == steptree::BreakerState::closed) return "closed";
    return state == steptree::BreakerState::open ? "open" : "halfOpen";
}

/// What a guard says of itself.
template <class G>
std::string whatSays(const G& guard) {
    std::string said = " waiting=" + countText(guard.waiting());
    if constexpr (requires { guard.active(); }) said += " active=" + countText(guard.active());
    if constexpr (requires { guard.available(); })
        said += " available=" + countText(guard.available());
    if constexpr (requires { guard.state(); })
        said += std::string(" state=") + nameOf(guard.state());
    return said;
}
template <class G>
std::function<std::string()> saying(const std::shared_ptr<G>& guard) {
    return [guard] { return whatSays(*guard); };
}

steptree::MutexOptions mutexOptions(const Json& given) {
    steptree::MutexOptions options;
    options.name = given.value("name", "");
    options.max = limit(given, "max", 1, options.max);
    options.maxQueue = limit(given, "maxQueue", 0, options.maxQueue);
    options.abandoned = abandoned(given);
    return options;
}

steptree::ThrottleOptions throttleOptions(const Json& given) {
    steptree::ThrottleOptions options{.max = limit(given, "max", 1, 0)};
    options.name = given.value("name", "");
    if (given.contains("period")) options.period = limit(given, "period", 1, 1);
    options.maxQueue = limit(given, "maxQueue", 0, options.maxQueue);
    if (given.contains("burst")) options.burst = limit(given, "burst", 1, 1);
    const auto algorithm = given.value("algorithm", "");
    if (algorithm == "fixed") options.algorithm = steptree::ThrottleAlgorithm::fixed;
    if (algorithm == "sliding") options.algorithm = steptree::ThrottleAlgorithm::sliding;
    if (algorithm == "bucket") options.algorithm = steptree::ThrottleAlgorithm::bucket;
    return options;
}

steptree::LimiterOptions limiterOptions(const Json& given) {
    steptree::LimiterOptions options;
    options.name = given.value("name", "");
    options.concurrent = limit(given, "concurrent", 1, options.concurrent);
    options.maxQueue = limit(given, "maxQueue", 0, options.maxQueue);
    options.rate = limit(given, "rate", 1, options.rate);
    if (given.contains("period")) options.period = limit(given, "period", 1, 1);
    if (given.contains("burst")) options.burst = limit(given, "burst", 1, 1);
    options.abandoned = abandoned(given);
    return options;
}

double share(const Json& value) {
    if (value.is_number()) return value.get<double>();
    return isText(value, "NaN") ? std::nan("") : HUGE_VAL;
}

/// What is no code of `on` is no failure.
bool isFailure(const Json& on, const std::string& code) {
    const Quiet quiet;
    const auto answer = on.find(code);
    if (answer != on.end() && isText(*answer, "throw")) throw std::runtime_error("on");
    return answer != on.end() && answer->get<bool>();
}

steptree::BreakerOptions breakerOptions(const Json& given) {
    steptree::BreakerOptions options;
    options.name = given.value("name", "");
    if (given.contains("rate")) options.rate = share(given["rate"]);
    if (given.contains("calls")) options.calls = limit(given, "calls", 1, 1);
    if (given.contains("period")) options.period = limit(given, "period", 1, 1);
    if (given.contains("minCalls")) options.minCalls = limit(given, "minCalls", 1, 1);
    if (given.contains("openFor")) options.openFor = limit(given, "openFor", 1, 1);
    options.probes = limit(given, "probes", 1, options.probes);
    options.maxQueue = limit(given, "maxQueue", 0, options.maxQueue);
    if (given.contains("on")) {
        options.on = [&on = given["on"]](const std::string& code) { return isFailure(on, code); };
    }
    return options;
}

/// A guard for each key, which the case is told of when it's made.
template <class G, class Options>
Place keyedOf(World& world, const std::string& name, const Place& place, const Json& given,
              Options (*options)(const Json& given)) {
    const auto make = [&world, name, &given, options](const std::string& key) {
        world.log(name, " makes ", key);
        return options(given);
    };
    const auto keyed = makeAt<steptree::Keyed<std::string, G>>(place, make);
    world.keyed[name] = [keyed](const std::string& key) {
        return std::make_shared<steptree::KeyedGuard>(keyed->of(key));
    };
    world.sayings[name] = [keyed] { return " size=" + countText(keyed->size()); };
    world.keySayings[name] = [keyed](const std::string& key) {
        const auto guard = keyed->get(key);
        return guard == nullptr ? "" : whatSays(*guard);
    };
    return keyed;
}

Place makeKeyed(World& world, const std::string& name, const Place& place, const Json& given) {
    using namespace steptree;
    const std::string kind = given.begin().key();
    const Json& limits = given.begin().value();
    if (kind == "mutex") return keyedOf<Mutex>(world, name, place, limits, &mutexOptions);
    if (kind == "throttle") return keyedOf<Throttle>(world, name, place, limits, &throttleOptions);
    if (kind == "limiter") return keyedOf<Limiter>(world, name, place, limits, &limiterOptions);
    return keyedOf<Breaker>(world, name, place, limits, &breakerOptions);
}

Place makeRwLock(World& world, const std::string& name, const Place& place, const Json& given) {
    const steptree::RwLockOptions options{limit(given, "maxQueue", 0, steptree::kUnlimited),
                                          abandoned(given), given.value("name", "")};
    const auto lock = makeAt<steptree::RwLock>(place, options);
    for (const auto& [side, of] : {std::pair{".read", &lock->read}, {".write", &lock->write}}) {
        world.sayings[name + side] = [of = of] {
            return " waiting=" + countText(of->waiting()) + " active=" + countText(of->active());
        };
    }
    world.guards[name + ".read"] = std::shared_ptr<steptree::Guard>(lock, &lock->read);
    world.guards[name + ".write"] = std::shared_ptr<steptree::Guard>(lock, &lock->write);
    return lock;
}

/// A user's own: says when it is called, then does what the case says.
class Custom final : public steptree::ISync {
  public:
    Custom(World& world, const std::string& name, const Json& given)
        : leases_(given.value("lease", false)),
          lock_{world, name, part(given, "lock")},
          unlock_{world, name, part(given, "unlock"), 0, false} {}

    void lock(IAsyncSteps& asi) override {
        lock_.world.log(lock_.id, "+");
        if (leases_) addLease(asi);
        lock_.run(asi);
        using steptree::detail::Returned;
        withReturned(lock_, [&]<class R>(std::type_identity<R>) {
            steptree::detail::callAndWatch<Returned::dropped>(
                asi, [this] { return lock_.returned<R>(); });
        });
    }
    void unlock(IAsyncSteps& asi, const steptree::Outcome& outcome) override {
        unlock_.world.log(unlock_.id, "-");
        unlock_.run(asi, textOf(outcome));
    }

  private:
    void addLease(IAsyncSteps& asi) {
        steptree::Lease lease(asi);
        const Quiet quiet;
        lock_.world.leases[lock_.id].push_back(std::move(lease));
    }

    bool leases_;
    Code lock_;
    Code unlock_;
};

}  // namespace

Place makeGuard(World& world, const std::string& name, const Json& description,
                const Place& place) {
    if (description.contains("rwlock"))
        return makeRwLock(world, name, place, description["rwlock"]);
    if (description.contains("keyed")) return makeKeyed(world, name, place, description["keyed"]);
    AnyGuard& guard = world.guards[name];
    const auto keep = [&guard](const auto& made) -> Place {
        guard = made;
        return made;
    };
    if (description.contains("mutex")) {
        const auto made = makeAt<steptree::Mutex>(place, mutexOptions(description["mutex"]));
        world.sayings[name] = saying(made);
        world.mutexes[name] = made;
        return keep(made);
    }
    if (description.contains("throttle")) {
        const auto made =
            makeAt<steptree::Throttle>(place, throttleOptions(description["throttle"]));
        world.sayings[name] = saying(made);
        return keep(made);
    }
    if (description.contains("limiter")) {
        const auto made = makeAt<steptree::Limiter>(place, limiterOptions(description["limiter"]));
        world.sayings[name] = saying(made);
        return keep(made);
    }
    if (description.contains("gate")) {
        const Json& given = description["gate"];
        steptree::GateOptions options;
        options.name = given.value("name", "");
        options.open = given.value("open", true);
        options.maxQueue = limit(given, "maxQueue", 0, options.maxQueue);
        const auto made = makeAt<steptree::Gate>(place, options);
        world.sayings[name] = [made] { return " waiting=" + countText(made->waiting()); };
        world.gates[name] = made;
        world.waitings[name] = [made](IAsyncSteps& asi) { made->wait(asi); };
        return keep(made);
    }
    if (description.contains("barrier")) {
        const steptree::BarrierOptions options{limit(description["barrier"], "parties", 1, 0)};
        const auto made = makeAt<steptree::Barrier>(place, options);
        world.sayings[name] = [made] { return " waiting=" + countText(made->waiting()); };
        world.waitings[name] = [made](IAsyncSteps& asi) { made->wait(asi); };
        return made;
    }
    if (description.contains("breaker")) {
        const auto made = makeAt<steptree::Breaker>(place, breakerOptions(description["breaker"]));
        world.sayings[name] = saying(made);
        return keep(made);
    }
    const auto own = makeAt<Custom>(place, world, name, description["custom"]);
    guard = std::shared_ptr<steptree::ISync>(own);
    return own;
}

std::string countText(std::int64_t count) {
    return count == steptree::kUnlimited ? "Infinity" : std::to_string(count);
}

AnyGuard guardOf(World& world, const Json& form) {
    const auto name = form["guard"].get<std::string>();
    if (form.contains("key")) {
        if (world.defining) throw Fault("the key of a guard that isn't there yet");
        return World::found(world.keyed, name)(form["key"].get<std::string>());
    }
    const AnyGuard& guard = World::found(world.guards, name);
    if (!form.contains("places")) return guard;
    if (world.defining) throw Fault("the places of a guard that isn't there yet");
    const auto& mutex = World::found(world.mutexes, name);
    return std::shared_ptr<steptree::Guard>(mutex, &mutex->places(limit(form, "places", 1, 1)));
}

Place makeChannel(World& world, const std::string& name, const Json& description,
                  const Place& place) {
    const steptree::ChannelOptions options{.capacity = limit(description, "capacity", 0, -1),
                                           .name = description.value("name", "")};
    return world.channels[name] = makeAt<steptree::Channel<Value>>(place, options);
}

}  // namespace conformance
