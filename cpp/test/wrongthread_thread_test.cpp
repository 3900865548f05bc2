#include <pthread.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "catch.hpp"
#include "codeof.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/future.hpp"
#include "steptree/local.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/signal.hpp"
#include "steptree/virtualtool.hpp"

using namespace steptree;
using rig::codeOf;
using namespace std::chrono_literals;

namespace {

/// What a call throws on a thread of its own; "" if it throws nothing.
template <class Act>
std::string elsewhere(Act act) {
    std::string said;
    std::thread([&] {
        try {
            act();
        } catch (const StepError& thrown) {
            said = std::string(thrown.code()) + ": " + std::string(thrown.info());
        }
    }).join();
    return said;
}

std::string refused(const char* call) {
    return std::string("InternalError: ") + call + ": called on another thread than the tool's";
}

template <class Flow>
void callElsewhere() {
    VirtualTool tool;
    Flow flow(tool);
    int cancelled = 0;
    flow.add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) { ++cancelled; });
        const Completion done = asi.waitExternal();
        CHECK(elsewhere([&] { asi.errorNoThrow("E"); }) == refused("error"));
        CHECK(elsewhere([&] { asi.setCancel([](IAsyncSteps&) {}); }) == refused("setCancel"));
        CHECK(elsewhere([&] { asi.defer([](IAsyncSteps&) {}); }) == refused("defer"));
        CHECK(elsewhere([&] { asi.setTimeout(1, "E"); }) == refused("setTimeout"));
        const auto number = local<int>("number");
        CHECK(elsewhere([&] { number.set(asi, 1); }) == refused("Local::set"));
        CHECK(elsewhere([&] { number.get(asi); }) == refused("Local::get"));
        CHECK(elsewhere([&] { signal(asi); }) == refused("signal"));
        CHECK(elsewhere([&] { asi.remaining(); }) == refused("remaining"));
        CHECK(elsewhere([&] { asi.stack<int>(); }) == refused("stack"));
        CHECK(elsewhere([&] { asi.state(); }) == refused("state"));
        CHECK(elsewhere([&] { newInstance(asi); }) == refused("newInstance"));
        CHECK(elsewhere([&] { asi.breakNoThrow(); }) == refused("breakLoop"));
        CHECK(elsewhere([&] { asi.continueNoThrow(); }) == refused("continueLoop"));
        CHECK(elsewhere([&] { CHECK_FALSE(asi.valid()); }).empty());
        CHECK(elsewhere([&] { flow.state(); }) == refused("state"));
        CHECK(elsewhere([&] { flow.newInstance(); }) == refused("newInstance"));
#ifdef STEPTREE_CHECK_THREADS
        const auto nothing = [](IAsyncSteps&) {};
        auto& both = asi.parallel();
        both.add(nothing);
        asi.add(nothing);
        CHECK(elsewhere([&] { asi.success(); }) == refused("success"));
        CHECK(elsewhere([&] { asi.setTimeout(1); }) == refused("setTimeout"));
        CHECK(elsewhere([&] { asi.waitExternal(); }) == refused("waitExternal"));
        CHECK(elsewhere([&] { asi.add(nothing); }) == refused("adding a step"));
        CHECK(elsewhere([&] { asi.loop(nothing); }) == refused("adding a step"));
        CHECK(elsewhere([&] { asi.parallel(); }) == refused("adding a step"));
        CHECK(elsewhere([&] { both.add(nothing); }) == refused("adding a step"));
#endif
        CHECK(asi.valid());
    });
    bool ok = false;
    flow.execute([&](Outcome& outcome) { ok = outcome.kind == OutcomeKind::ok; });
    tool.run();
    if (flow.running()) flow.cancel();
    tool.run();
#ifdef STEPTREE_CHECK_THREADS
    CHECK(ok);
#else
    CHECK(cancelled == 1);
#endif
}

}  // namespace

TEST_CASE("a call on another thread than the tool's is refused and changes nothing",
          "[misuse][thread]") {
    callElsewhere<AsyncSteps>();
    callElsewhere<NitroSteps<MaxSteps<8>, MaxParallels<1>>>();
}

TEST_CASE("a tool is refused to a second thread while it is in a callback", "[asynctool][thread]") {
    AsyncTool driven(AsyncTool::Driven{});
    VirtualTool jumps;
    std::string iterates, runs;
    driven.immediate([&] { iterates = elsewhere([&] { driven.iterate(); }); });
    jumps.immediate([&] { runs = elsewhere([&] { jumps.advance(1); }); });
    driven.iterate();
    jumps.run();
    CHECK(iterates == "InternalError: iterate: another thread drives the tool at the moment");
    CHECK(runs == "InternalError: run: another thread drives the tool at the moment");
    // Handed over it is the other one's, until it is handed back.
    std::promise<void> iterated, goesOn;
    std::thread other([&] {
        driven.iterate();
        iterated.set_value();
        goesOn.get_future().wait();
    });
    iterated.get_future().wait();
    CHECK(codeOf([&] { driven.random(); }) == "InternalError");
    driven.iterate();
    CHECK(driven.random() >= 0);
    goesOn.set_value();
    other.join();
}

TEST_CASE("a tool that several threads drive belongs to who is told to be inside",
          "[asynctool][thread]") {
    std::atomic<std::thread::id> inside{};
    std::atomic<Caller> elsewhere = Caller::outside;
    AsyncTool tool(AsyncTool::Driven{.caller = [&] {
        return inside == std::this_thread::get_id() ? Caller::inside : elsewhere.load();
    }});
    int ran = 0;
    std::optional<Completion> waits;
    IAsyncSteps* step = nullptr;
    AsyncSteps flow(tool);
    flow.add([&](IAsyncSteps& asi) {
        ++ran;
        step = &asi;
        waits = asi.waitExternal();
    });
    auto future = flow.promise();
    const auto drive = [&] {
        inside = std::this_thread::get_id();
        while (tool.iterate().work) continue;
        CHECK(tool.random() >= 0);
        CHECK(step->valid());
        CHECK(codeOf([&] { future.get(); }) == "InternalError");
        inside = std::thread::id();
    };
    std::thread(drive).join();
    CHECK(ran == 1);
    // Whoever may be needed to drive it.
    elsewhere = Caller::driver;
    CHECK(codeOf([&] { tool.random(); }) == "InternalError");
    CHECK(codeOf([&] { step->state(); }) == "InternalError");
    CHECK_FALSE(step->valid());
    CHECK(codeOf([&] { future.get(); }) == "InternalError");
    CHECK_FALSE(future.waitFor(0ms));
    elsewhere = Caller::outside;
    // Outside of iterate(), but where it may be used.
    inside = std::this_thread::get_id();
    const Canceller canceller = flow.canceller();
    step->state();
    CHECK(waits->success());
    inside = std::thread::id();
    std::thread([&] {
        while (tool.iterate().work) continue;
        future.get();
    }).join();
    future.get();
    // While another thread is in a callback of it.
    std::string iterates, asks;
    tool.immediate([&] {
        iterates = ::elsewhere([&] { tool.iterate(); });
        asks = ::elsewhere([&] { tool.random(); });
    });
    tool.iterate();
    CHECK(iterates == "InternalError: iterate: another thread drives the tool at the moment");
    CHECK(asks == refused("random"));
    flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
    flow.execute();
    tool.iterate();
    flow.cancel();
    CHECK_FALSE(flow.running());
}

TEST_CASE("a future of a flow isn't waited for on the thread of its tool", "[promise][thread]") {
    const auto never = [](const std::string& where) {
        return "a future of a flow was to be waited for " + where + ": it would never settle";
    };
    const auto tries = [&](auto future, const char* where) {
        try {
            future.get();
            FAIL("has settled");
        } catch (const StepError& thrown) {
            CHECK(thrown.info() == never(where));
        }
    };
    SECTION("a tool with a thread of its own") {
        AsyncTool tool;
        AsyncSteps flow(tool);
        std::promise<void> told;
        Future<> own;
        flow.add([&](IAsyncSteps&) {
            const char* const here = "on the thread that drives its tool";
            tries(own, here);
            tries(own.map([] { return 1; }), here);
            tries(flow.closed(), here);
            CHECK_FALSE(own.waitFor(0ms));
            told.set_value();
        });
        own = Future<>();
        std::promise<void> begins;
        tool.immediate([&] { begins.get_future().wait(); });
        own = flow.promise();
        begins.set_value();
        told.get_future().wait();
        own.get();
    }
    SECTION("tools that this thread drives") {
        const char* const here = "while nobody drives its tool, which is left to this thread";
        VirtualTool jumps;
        AsyncSteps flow(jumps);
        auto future = flow.promise();
        tries(future, here);
        jumps.run();
        future.get();
        AsyncTool driven(AsyncTool::Driven{});
        AsyncSteps other(driven);
        driven.iterate();
        auto another = other.promise();
        tries(another, here);
        while (driven.iterate().work) continue;
        another.get();
    }
}

TEST_CASE("no call waits for a tool that nobody has driven yet", "[cancel][thread]") {
    AsyncTool::Driven options;
    SECTION("of one thread") {}
    SECTION("of several") {
        options.caller = [] { return Caller::outside; };
    }
    AsyncTool tool(std::move(options));
    AsyncSteps flow(tool);
    flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
    flow.execute();
    flow.canceller();  // of the thread that has made it
    const std::string never = ": would wait for a tool that nobody has driven yet";
    CHECK(elsewhere([&] { flow.canceller(); }) == "InternalError: canceller" + never);
    CHECK(elsewhere([&] { flow.cancel(); }) == "InternalError: cancel" + never);
    CHECK(elsewhere([&] { flow.closed(); }) == "InternalError: closed" + never);
    CHECK(flow.running());
    tool.iterate();
    std::atomic<bool> got = false;
    std::thread other([&] {
        flow.canceller().cancel();
        got = true;
    });
    while (!got || flow.running()) tool.iterate();
    other.join();
}

TEST_CASE("a tool's thread has a name", "[asynctool][thread]") {
#ifdef __linux__
    AsyncTool tool;
    std::promise<std::string> name;
    tool.immediate([&] {
        char buffer[16] = {};
        pthread_getname_np(pthread_self(), buffer, sizeof buffer);
        name.set_value(buffer);
    });
    CHECK(name.get_future().get() == "steptree");
#endif
}
