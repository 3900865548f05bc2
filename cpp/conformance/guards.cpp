#include "guards.hpp"

#include <cmath>
#include <memory>

#include "actions.hpp"
#include "bodies.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/throttle.hpp"

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

std::shared_ptr<steptree::Mutex> mutex(const Json& given) {
    return std::make_shared<steptree::Mutex>(limit(given, "max", 1, 1),
                                             limit(given, "maxQueue", 0, steptree::kUnlimited),
                                             abandoned(given));
}

std::shared_ptr<steptree::Throttle> throttle(const Json& given) {
    steptree::ThrottleOptions options;
    options.max = limit(given, "max", 1, 1);
    options.period = limit(given, "period", 1, 1000);
    options.maxQueue = limit(given, "maxQueue", 0, 0);
    if (given.contains("capacity")) options.capacity = limit(given, "capacity", 1, 1);
    const auto algorithm = given.value("algorithm", "fixed");
    if (algorithm == "sliding") options.algorithm = steptree::ThrottleAlgorithm::sliding;
    if (algorithm == "bucket") options.algorithm = steptree::ThrottleAlgorithm::bucket;
    return std::make_shared<steptree::Throttle>(options);
}

std::shared_ptr<steptree::Limiter> limiter(const Json& given) {
    steptree::LimiterOptions options;
    options.concurrent = limit(given, "concurrent", 1, 1);
    options.maxQueue = limit(given, "maxQueue", 0, 0);
    options.rate = limit(given, "rate", 1, 1);
    options.period = limit(given, "period", 1, 1000);
    options.burst = limit(given, "burst", 0, 0);
    options.abandoned = abandoned(given);
    return std::make_shared<steptree::Limiter>(options);
}

void makeRwLock(World& world, const std::string& name, const Json& given) {
    const steptree::RwLockOptions options{limit(given, "maxQueue", 0, steptree::kUnlimited),
                                          abandoned(given)};
    const auto lock = std::make_shared<steptree::RwLock>(options);
    world.guards[name + ".read"] = std::shared_ptr<steptree::Guard>(lock, &lock->read);
    world.guards[name + ".write"] = std::shared_ptr<steptree::Guard>(lock, &lock->write);
}

/// A user's own: says when it is called, then does what the case says.
class Custom final : public steptree::ISync {
  public:
    Custom(World& world, const std::string& name, const Json& given)
        : lock_{world, name, part(given, "lock")}, unlock_{world, name, part(given, "unlock")} {}

    void lock(IAsyncSteps& asi) override {
        lock_.world.log(lock_.id, "+");
        lock_.run(asi);
        using steptree::detail::Returned;
        withReturned(lock_, [&]<class R>(std::type_identity<R>) {
            steptree::detail::callAndWatch<Returned::dropped>(
                asi, [this] { return lock_.returned<R>(); });
        });
    }
    void unlock(IAsyncSteps& asi) override {
        unlock_.world.log(unlock_.id, "-");
        unlock_.run(asi);
    }

  private:
    Code lock_;
    Code unlock_;
};

}  // namespace

void makeGuard(World& world, const std::string& name, const Json& description) {
    if (description.contains("rwlock")) return makeRwLock(world, name, description["rwlock"]);
    AnyGuard& guard = world.guards[name];
    if (description.contains("mutex")) {
        guard = mutex(description["mutex"]);
    } else if (description.contains("throttle")) {
        guard = throttle(description["throttle"]);
    } else if (description.contains("limiter")) {
        guard = limiter(description["limiter"]);
    } else {
        const auto own = std::make_shared<Custom>(world, name, description["custom"]);
        guard = std::shared_ptr<steptree::ISync>(own);
    }
}

void makeChannel(World& world, const std::string& name, const Json& description) {
    world.channels[name] =
        std::make_shared<steptree::Channel<Value>>(limit(description, "capacity", 0, 0));
}

}  // namespace conformance
