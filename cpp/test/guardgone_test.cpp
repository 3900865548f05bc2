#include <memory>
#include <utility>

#include "catch.hpp"
#include "child.hpp"
#include "rig.hpp"
#include "steptree/barrier.hpp"
#include "steptree/breaker.hpp"
#include "steptree/channel.hpp"
#include "steptree/gate.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/throttle.hpp"

using namespace rig;
using namespace steptree;

namespace {

void stays(IAsyncSteps& asi) {
    asi.waitExternal();
}

/// Two flows come to what `make` gives, one after the other; then it goes.
template <class Make, class Come>
void checkEnds(Make make, Come come) {
    const child::Ended ended = child::inChild([&] {
        VirtualTool tool;
        tool.advance(1);
        AsyncSteps first(tool);
        AsyncSteps second(tool);
        auto owned = make();
        for (AsyncSteps* const flow : {&first, &second}) {
            flow->add([&](IAsyncSteps& asi) { come(asi, *owned); });
            flow->execute();
            tool.advance(1);
        }
        owned.reset();
    });
    INFO(ended.said);
    CHECK(ended.aborted);
    CHECK(child::has(ended, "a guard or channel is destroyed while lines wait for it (1)"));
}

const auto enters = [](IAsyncSteps& asi, Guard& guard) { asi.sync(guard, stays); };

}  // namespace

TEST_CASE("a guard or channel that goes while lines wait for it ends the process",
          "[guards][lifetime]") {
    checkEnds([] { return std::make_unique<Mutex>(); }, enters);
    checkEnds([] { return std::make_unique<ThreadMutex>(); }, enters);
    checkEnds([] { return std::make_unique<Throttle>(ThrottleOptions{.max = 1}); }, enters);
    checkEnds([] { return std::make_unique<Limiter>(LimiterOptions{.concurrent = 1}); }, enters);
    checkEnds([] { return std::make_unique<ThreadLimiter>(LimiterOptions{.rate = 1}); }, enters);
    checkEnds([] { return std::make_unique<RwLock>(); },
              [](IAsyncSteps& asi, RwLock& lock) { asi.sync(lock.write, stays); });
    bool came = false;
    checkEnds([] { return std::make_unique<Gate>(GateOptions{.open = false}); },
              [&](IAsyncSteps& asi, Gate& gate) {
                  if (std::exchange(came, true)) gate.wait(asi);
              });
    checkEnds([] { return std::make_unique<Barrier>(BarrierOptions{.parties = 2}); },
              [&](IAsyncSteps& asi, Barrier& barrier) {
                  if (std::exchange(came, true)) barrier.wait(asi);
              });
    checkEnds([] { return std::make_unique<Channel<int>>(ChannelOptions{.capacity = 1}); },
              [](IAsyncSteps& asi, Channel<int>& channel) { channel.send(asi, 1); });
    checkEnds([] { return std::make_unique<ThreadChannel<int>>(ChannelOptions{.capacity = 0}); },
              [&](IAsyncSteps& asi, ThreadChannel<int>& channel) {
                  if (std::exchange(came, true)) channel.receive(asi);
              });
}

TEST_CASE("a breaker that goes while lines wait for its probe ends the process",
          "[breaker][lifetime]") {
    const auto make = [] {
        auto breaker = std::make_unique<Breaker>(BreakerOptions{.calls = 1, .openFor = 1});
        VirtualTool tool;
        AsyncSteps flow(tool);
        flow.sync(*breaker, [](IAsyncSteps& asi) { asi.error("E"); });
        CHECK(rig::run(tool, flow) == "error E");
        return breaker;
    };
    checkEnds(make, enters);
}
