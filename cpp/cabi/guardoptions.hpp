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

/// Options of guards; what is unset has the default of its kind.
namespace steptree::cabi {

template <class T>
void put(T& into, std::int64_t given) {
    if (given != STEPTREE_UNSET) into = given;
}

inline Abandoned abandonedOf(const steptree_guard_options& of) noexcept {
    return of.releases != 0 ? Abandoned::release : Abandoned::keep;
}

inline MutexOptions mutexOptions(const steptree_guard_options& of, Data) {
    MutexOptions options;
    options.name = view(of.name);
    put(options.max, of.max);
    put(options.maxQueue, of.max_queue);
    options.abandoned = abandonedOf(of);
    return options;
}

inline ThrottleOptions throttleOptions(const steptree_guard_options& of, Data) {
    ThrottleOptions options{.max = of.max};
    options.name = view(of.name);
    put(options.period, of.period);
    put(options.maxQueue, of.max_queue);
    put(options.burst, of.burst);
    if (of.algorithm == STEPTREE_FIXED) options.algorithm = ThrottleAlgorithm::fixed;
    if (of.algorithm == STEPTREE_SLIDING) options.algorithm = ThrottleAlgorithm::sliding;
    if (of.algorithm == STEPTREE_BUCKET) options.algorithm = ThrottleAlgorithm::bucket;
    return options;
}

inline LimiterOptions limiterOptions(const steptree_guard_options& of, Data) {
    LimiterOptions options;
    options.name = view(of.name);
    put(options.concurrent, of.max);
    put(options.maxQueue, of.max_queue);
    put(options.rate, of.rate);
    put(options.period, of.period);
    put(options.burst, of.burst);
    options.abandoned = abandonedOf(of);
    return options;
}

inline RwLockOptions rwLockOptions(const steptree_guard_options& of, Data) {
    RwLockOptions options;
    options.name = view(of.name);
    put(options.maxQueue, of.max_queue);
    options.abandoned = abandonedOf(of);
    return options;
}

inline GateOptions gateOptions(const steptree_guard_options& of, Data) {
    GateOptions options;
    options.name = view(of.name);
    options.open = of.closed == 0;
    put(options.maxQueue, of.max_queue);
    return options;
}

inline BarrierOptions barrierOptions(const steptree_guard_options& of, Data) {
    return {of.parties};
}

inline BreakerOptions breakerOptions(const steptree_guard_options& of, Data data) {
    BreakerOptions options;
    options.name = view(of.name);
    if (of.has_share != 0) options.rate = of.share;
    put(options.calls, of.calls);
    put(options.period, of.period);
    put(options.minCalls, of.min_calls);
    put(options.openFor, of.open_for);
    put(options.probes, of.probes);
    put(options.maxQueue, of.max_queue);
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
