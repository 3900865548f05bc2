#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/breaker.hpp"
#include "steptree/channel.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/throttle.hpp"
#include "steptree/virtualtool.hpp"

using namespace steptree;

namespace {

/// How a flow of that tool ends: "" or what went wrong.
template <class Flow = AsyncSteps, class Body>
std::string endOf(Tool& tool, Body body) {
    Flow flow(tool);
    flow.add(body);
    try {
        flow.template promise<Results>().get();
        return "";
    } catch (const StepError& thrown) {
        return std::string(thrown.code()) + ": " + std::string(thrown.info());
    }
}

std::string notFor(const char* call, const std::string& kind) {
    return std::string("InternalError: ") + call + ": this " + kind +
           " is for flows of one thread, which is another one; for flows of several there is "
           "Thread" +
           kind;
}

template <class Flow = AsyncSteps>
void lockOnTwo(Guard& guard, const std::string& kind) {
    AsyncTool first, second;
    const auto section = [&](IAsyncSteps& asi) {
        asi.sync(guard, [](IAsyncSteps& inner) { inner.add([](IAsyncSteps&) {}); });
    };
    CHECK(endOf<Flow>(first, section) == "");
    CHECK(endOf<Flow>(second, section) == notFor("sync", kind));
    CHECK(endOf<Flow>(first, section) == "");
}

}  // namespace

TEST_CASE("a guard without a lock refuses the flows of a second thread", "[guards][thread]") {
    Mutex mutex;
    lockOnTwo(mutex, "Mutex");
    Mutex again;
    lockOnTwo<NitroSteps<>>(again, "Mutex");
    Throttle throttle({.max = 100, .period = 1, .maxQueue = 0});
    lockOnTwo(throttle, "Throttle");
    Limiter limiter({.concurrent = 10, .rate = 100, .period = 1});
    lockOnTwo(limiter, "Limiter");
    Breaker breaker;
    lockOnTwo(breaker, "Breaker");
    RwLock reads, writes;
    lockOnTwo(reads.read, "RwLock");
    lockOnTwo(writes.write, "RwLock");
}

TEST_CASE("a guard without a lock says nothing to a second thread", "[guards][thread]") {
    Mutex mutex;
    Throttle throttle({.max = 100});
    Limiter both({.concurrent = 10, .rate = 100}), places({.concurrent = 10}), rate({.rate = 100});
    RwLock rwlock;
    AsyncTool tool;
    for (Guard* const guard : {static_cast<Guard*>(&mutex), static_cast<Guard*>(&throttle),
                               static_cast<Guard*>(&both), static_cast<Guard*>(&places),
                               static_cast<Guard*>(&rate), static_cast<Guard*>(&rwlock.read)}) {
        CHECK(endOf(tool, [&](IAsyncSteps& asi) { asi.sync(*guard, [](IAsyncSteps&) {}); }) == "");
    }
    CHECK_THROWS_AS(mutex.waiting(), StepError);
    CHECK_THROWS_AS(throttle.waiting(), StepError);
    CHECK_THROWS_AS(both.waiting(), StepError);
    CHECK_THROWS_AS(places.waiting(), StepError);
    CHECK_THROWS_AS(rate.waiting(), StepError);
    CHECK_THROWS_AS(rwlock.waiting(), StepError);
}

TEST_CASE("two tools that share a mutex without a lock end with an error that names another",
          "[guards][thread]") {
    AsyncTool one, two;
    Mutex mutex;
    long entries = 0;
    const auto body = [&](IAsyncSteps& asi, std::int64_t) {
        asi.sync(mutex, [&](IAsyncSteps& inner) {
            ++entries;
            inner.add([&](IAsyncSteps&) { ++entries; });
        });
    };
    AsyncSteps first(one), second(two);
    first.repeat(300'000, body);
    second.repeat(300'000, body);
    auto x = first.promise();
    auto y = second.promise();
    int ended = 0;
    for (auto& future : {x, y}) {
        try {
            future.get();
            ++ended;
        } catch (const StepError& thrown) {
            CHECK(thrown.code() == errors::InternalError);
            CHECK(std::string(thrown.info()).find("ThreadMutex") != std::string::npos);
        }
    }
    CHECK(ended == 1);
    CHECK(entries == 600'000);
}

TEST_CASE("a channel without a lock refuses a second thread", "[channel][thread]") {
    Channel<int> channel({.capacity = 4});
    REQUIRE(channel.trySend(0));  // nobody's yet
    AsyncTool first, second;
    const auto send = [&](IAsyncSteps& asi) { channel.send(asi, 1); };
    const auto receive = [&](IAsyncSteps& asi) { channel.receive(asi); };
    const auto loop = [&](IAsyncSteps& asi) {
        asi.forEach(channel, [](IAsyncSteps&, std::size_t, int) {});
    };
    CHECK(endOf(first, send) == "");
    CHECK(endOf(second, send) == notFor("send", "Channel"));
    CHECK(endOf(second, receive) == notFor("receive", "Channel"));
    CHECK(endOf(second, loop) == notFor("receive", "Channel"));
    CHECK_THROWS_AS(channel.trySend(2), StepError);
    CHECK_THROWS_AS(channel.tryReceive(), StepError);
    CHECK_THROWS_AS(channel.close(), StepError);
    CHECK_THROWS_AS(channel.closed(), StepError);
    CHECK(endOf(first, [&](IAsyncSteps&) {
              if (channel.tryReceive() != 0 || channel.tryReceive() != 1) throw StepError("Lost");
              if (channel.tryReceive() || channel.closed()) throw StepError("More");
          }) == "");
}

TEST_CASE("what is refused is left as it was", "[channel][thread]") {
    Channel<std::unique_ptr<int>> channel({.capacity = 4});
    AsyncTool tool;
    CHECK(endOf(tool, [&](IAsyncSteps& asi) { channel.send(asi, std::make_unique<int>(1)); }) ==
          "");
    auto value = std::make_unique<int>(2);
    CHECK_THROWS_AS(channel.trySend(std::move(value)), StepError);
    CHECK(value != nullptr);
}

TEST_CASE("a guard without a lock is for all tools of a thread, and for others after them",
          "[guards][thread]") {
    Mutex mutex;
    Channel<int> channel({.capacity = 10});
    const auto section = [&](IAsyncSteps& asi) {
        asi.sync(mutex, [&](IAsyncSteps& inner) { channel.send(inner, 1); });
    };
    {
        VirtualTool one, two;
        for (VirtualTool* tool : {&one, &two, &one}) {
            AsyncSteps flow(*tool);
            flow.add(section);
            auto future = flow.promise();
            tool->run();
            future.get();
            CHECK_FALSE(channel.closed());
        }
    }
    for (int i = 0; i < 2; ++i) {
        AsyncTool later;
        CHECK(endOf(later, section) == "");
    }
    // A tool that is handed over takes its guards along.
    AsyncTool driven(AsyncTool::Driven{});
    AsyncSteps flow(driven);
    flow.repeat(10, [&](IAsyncSteps& asi, std::int64_t) {
        asi.relinquish();
        asi.sync(mutex, [](IAsyncSteps&) {});
    });
    bool ok = false;
    flow.execute([&](Outcome& outcome) { ok = outcome.kind == OutcomeKind::ok; });
    driven.iterate();
    std::thread([&] {
        driven.iterate();
        driven.iterate();
    }).join();
    while (driven.iterate().work) continue;
    CHECK(ok);
}
