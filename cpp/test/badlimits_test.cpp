#include <string>

#include "catch.hpp"
#include "steptree/barrier.hpp"
#include "steptree/breaker.hpp"
#include "steptree/channel.hpp"
#include "steptree/gate.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/retry.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/throttle.hpp"

using namespace steptree;

namespace {

template <class T, class Options>
std::string refusal(const Options& options) {
    try {
        T guard(options);
    } catch (const StepError& error) {
        const std::string info = error.info();
        return info.substr(0, info.find(": expected"));
    }
    return "taken";
}

}  // namespace

TEST_CASE("a bad limit names the guard and the option", "[sync]") {
    CHECK(refusal<Mutex>(MutexOptions{.max = 0}) == "Mutex: max");
    CHECK(refusal<ThreadMutex>(MutexOptions{.maxQueue = -1}) == "Mutex: maxQueue");
    CHECK(refusal<Throttle>(ThrottleOptions{.max = 0}) == "Throttle: max");
    CHECK(refusal<Throttle>(ThrottleOptions{.max = 1, .period = 0}) == "Throttle: period");
    CHECK(refusal<Limiter>(LimiterOptions{.concurrent = 0}) == "Limiter: concurrent");
    CHECK(refusal<Limiter>(LimiterOptions{.rate = 1, .burst = 0}) == "Limiter: burst");
    CHECK(refusal<Limiter>(LimiterOptions{.burst = 1}) == "Limiter: burst");
    CHECK(refusal<Limiter>(LimiterOptions{.period = 5}) == "Limiter: period");
    CHECK(refusal<Limiter>(LimiterOptions{.rate = 1, .period = 0}) == "Limiter: period");
    CHECK(refusal<Limiter>(LimiterOptions{.maxQueue = 5}) == "Limiter: maxQueue");
    CHECK(refusal<RwLock>(RwLockOptions{.maxQueue = -1}) == "RwLock: maxQueue");
    CHECK(refusal<Gate>(GateOptions{.maxQueue = -1}) == "Gate: maxQueue");
    CHECK(refusal<Barrier>(BarrierOptions{.parties = 0}) == "Barrier: parties");
    CHECK(refusal<Breaker>(BreakerOptions{.rate = 0}) == "Breaker: rate");
    CHECK(refusal<Breaker>(BreakerOptions{.calls = 5, .minCalls = 6}) == "Breaker: minCalls");
    CHECK(refusal<Channel<int>>(ChannelOptions{.capacity = -1}) == "Channel: capacity");
    CHECK(refusal<RetryBudget>(RetryBudget::Options{.capacity = 0, .ratio = 0.1}) ==
          "RetryBudget: capacity");
}
