#pragma once

#include <memory>

#include "functions.hpp"
#include "steptree/barrier.hpp"
#include "steptree/breaker.hpp"
#include "steptree/gate.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/throttle.hpp"

/// Options of guards; what isn't given has the default of its kind.
namespace steptree::cabi {

/// A member, if its bit is set.
template <class T>
void put(const steptree_guard_options& of, std::uint32_t bit, T& into, std::int64_t given) {
    if ((of.given & bit) != 0) into = given;
}
/// What all have that lines queue at.
template <class Options>
void putQueue(const steptree_guard_options& of, Options& into) {
    into.name = view(of.name);
    put(of, STEPTREE_GIVEN_MAX_QUEUE, into.maxQueue, of.max_queue);
    if constexpr (requires { into.abandoned; }) {
        const bool releases = (of.flags & STEPTREE_RELEASES) != 0;
        into.abandoned = releases ? Abandoned::release : Abandoned::keep;
    }
}

inline MutexOptions mutexOptions(const steptree_guard_options& of, Data) {
    MutexOptions options;
    putQueue(of, options);
    put(of, STEPTREE_GIVEN_MAX, options.max, of.max);
    return options;
}

inline ThrottleAlgorithm algorithmOf(std::uint32_t algorithm) {
    if (algorithm == STEPTREE_FIXED) return ThrottleAlgorithm::fixed;
    if (algorithm == STEPTREE_SLIDING) return ThrottleAlgorithm::sliding;
    if (algorithm == STEPTREE_BUCKET) return ThrottleAlgorithm::bucket;
    misuse("there is no such algorithm of a throttle");
}

inline ThrottleOptions throttleOptions(const steptree_guard_options& of, Data) {
    ThrottleOptions options{.max = (of.given & STEPTREE_GIVEN_MAX) != 0 ? of.max : 0};
    putQueue(of, options);
    put(of, STEPTREE_GIVEN_PERIOD, options.period, of.period);
    put(of, STEPTREE_GIVEN_BURST, options.burst, of.burst);
    if ((of.given & STEPTREE_GIVEN_ALGORITHM) != 0) options.algorithm = algorithmOf(of.algorithm);
    return options;
}

inline LimiterOptions limiterOptions(const steptree_guard_options& of, Data) {
    LimiterOptions options;
    putQueue(of, options);
    put(of, STEPTREE_GIVEN_MAX, options.concurrent, of.max);
    put(of, STEPTREE_GIVEN_RATE, options.rate, of.rate);
    put(of, STEPTREE_GIVEN_PERIOD, options.period, of.period);
    put(of, STEPTREE_GIVEN_BURST, options.burst, of.burst);
    return options;
}

inline RwLockOptions rwLockOptions(const steptree_guard_options& of, Data) {
    RwLockOptions options;
    putQueue(of, options);
    return options;
}

inline GateOptions gateOptions(const steptree_guard_options& of, Data) {
    GateOptions options;
    putQueue(of, options);
    options.open = (of.flags & STEPTREE_CLOSED) == 0;
    return options;
}

inline BarrierOptions barrierOptions(const steptree_guard_options& of, Data) {
    return {of.parties};
}

inline BreakerOptions breakerOptions(const steptree_guard_options& of, Data data) {
    BreakerOptions options;
    putQueue(of, options);
    if ((of.given & STEPTREE_GIVEN_SHARE) != 0) options.rate = of.share;
    put(of, STEPTREE_GIVEN_CALLS, options.calls, of.calls);
    put(of, STEPTREE_GIVEN_PERIOD, options.period, of.period);
    put(of, STEPTREE_GIVEN_MIN_CALLS, options.minCalls, of.min_calls);
    put(of, STEPTREE_GIVEN_OPEN_FOR, options.openFor, of.open_for);
    put(of, STEPTREE_GIVEN_PROBES, options.probes, of.probes);
    if (of.failure == nullptr) return options;
    options.on = [failure = of.failure, kept = std::make_shared<const Data>(std::move(data))](
                     const std::string& code, const StepError& error) {
        const OwnedError lent = makeError(error);
        std::int32_t is = 0;
        raise(failure(textOf(code), lent.get(), &is, kept->get()));
        return is != 0;
    };
    return options;
}

}  // namespace steptree::cabi
