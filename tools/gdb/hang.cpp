// A program whose flows wait for ever, and that then waits itself, or crashes.
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>

#include "steptree/all.hpp"

using namespace steptree;
using namespace std::chrono_literals;

namespace {

/// One of the program's own.
struct Unlocked : ISync {
    void lock(IAsyncSteps& asi) override { asi.waitExternal(); }
    void unlock(IAsyncSteps&, const Outcome&) override {}
};

/// What flows wait for at guards and channels.
struct Used {
    RwLock cache{{.name = "cache"}};
    Limiter calls{{.concurrent = 1, .rate = 2, .name = "calls"}};
    Mutex places{{.max = 2, .name = "places"}};
    Keyed<int, Mutex> users{[](int) { return MutexOptions{.name = "user"}; }};
    Gate ready{{.open = false, .name = "ready"}};
    Gate shut{{.open = false}};
    Barrier phase{{.parties = 2}};
    Throttle rate{{.max = 1}};
    Unlocked own;
    Channel<int> jobs{{.capacity = 0, .name = "jobs"}};
    Channel<int> full{{.capacity = 0}};
};

/// Lines of one flow, each of which waits in another way.
void addWaits(AsyncSteps& flow, Used& used) {
    const auto wait = step([](IAsyncSteps& asi) { asi.waitExternal(); });
    auto& all = flow.parallel();
    all.sync(used.cache.read, wait).sync(used.cache.write, wait).sync(used.cache.read, wait);
    for (int i = 0; i < 2; ++i) all.sync(used.calls, wait);
    all.sync(used.places, wait).sync(used.places.places(2), wait);
    for (int i = 0; i < 2; ++i) all.sync(used.users.of(7), wait);
    for (int i = 0; i < 2; ++i) all.sync(used.rate, wait);
    all.sync(used.ready, wait).sync(used.own, wait);
    all.add([&](IAsyncSteps& asi) { used.shut.wait(asi); });
    all.add([&](IAsyncSteps& asi) { used.phase.wait(asi); });
    all.add([&](IAsyncSteps& asi) { used.jobs.receive(asi); });
    all.add([&](IAsyncSteps& asi) { used.full.send(asi, 1); });
    all.add(forEach(used.jobs, [](IAsyncSteps&, std::size_t, int) {}));
    all.add(map(used.jobs, {.limit = 2}, [](IAsyncSteps&, int) {}));
    all.add(delay(1h)).add(delay(std::numeric_limits<double>::infinity()));
}

/// Nothing of the library stands in it: gdb's breakpoint.
[[gnu::noinline]] void stuck() {
    asm volatile("");
}

}  // namespace

int main(int argc, char** argv) {
    VirtualTool tool;
    const FlightRecorder recorder(tool, {.events = 20});
    Mutex db({.name = "db"});
    const auto charge = step([](IAsyncSteps& asi) { asi.waitExternal(); }).named("charge");
    const auto cart = sync(db, charge).named("cart");
    const auto mails = sync(db, delay(5ms)).named("mails");

    AsyncSteps order(tool, {.name = "order"});
    order.add(all(cart, mails));
    order.execute();

    AsyncSteps poll(tool, {.name = "poll"});
    const auto ask = step([](IAsyncSteps& asi) { asi.add(delay(1h)); }).named("ask");
    poll.loop(ask, "polling");
    poll.execute();

    AsyncSteps limited(tool);
    limited.add([](IAsyncSteps& asi) { asi.setTimeout(1h); }, [](IAsyncSteps&, ErrorCode) {});
    limited.execute();

    Promise<int> prices;
    AsyncSteps asks(tool, {.name = "asks"});
    asks.add([&prices](IAsyncSteps& asi) { asi.await(prices.future()); });
    asks.execute();

    AsyncSteps parts(tool, {.name = "parts"});
    parts.add(steps([](IAsyncSteps&) {}, [](IAsyncSteps& asi) { asi.waitExternal(); }));
    parts.execute();

    Used used;
    AsyncSteps guards(tool, {.name = "guards"});
    addWaits(guards, used);
    guards.execute();

    tool.advance(1);
    AsyncSteps soon(tool, {.name = "soon"});
    soon.add([](IAsyncSteps&) {});
    soon.execute();

    std::cout << snapshotText(tool.snapshot({.locate = true})) << std::endl;
    std::cout << recorder.text() << std::endl;
    if (argc > 1 && argv[1] == std::string("abort")) std::abort();
    stuck();
}
