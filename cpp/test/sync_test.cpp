#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/breaker.hpp"
#include "steptree/isync.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/throttle.hpp"

using namespace rig;
using steptree::ISync;

namespace {

/// Writes down what happens, and waits in lock() if it is told to.
struct Guard : ISync {
    void lock(IAsyncSteps& asi) override {
        seen.emplace_back("lock");
        if (!waits) return;
        asi.setCancel([this](IAsyncSteps&) { seen.emplace_back("lock cancelled"); });
        completion = asi.waitExternal();
    }
    void unlock(IAsyncSteps& asi, const steptree::Outcome&) override {
        seen.emplace_back("unlock");
        static_cast<void>(asi.state());
        if (misused) asi.setTimeout(1);
    }

    bool waits = false;
    bool misused = false;
    Completion completion;
    std::vector<std::string> seen;
};

using Seen = std::vector<std::string>;

void plain(IAsyncSteps& asi) {
    asi.success(7);
}

}  // namespace

namespace {

template <class T>
concept LockedByHand = requires(T& guard, IAsyncSteps& asi) {
    guard.lock(asi);
}
|| requires(T& guard, IAsyncSteps& asi) {
    guard.unlock(asi, std::declval<const Outcome&>());
};

template <class... T>
constexpr bool areLockedBySync = (!LockedByHand<T> && ...);

}  // namespace

TEST_CASE("nothing but sync locks a guard of the library", "[sync]") {
    using namespace steptree;
    CHECK(LockedByHand<ISync>);
    CHECK(areLockedBySync<steptree::Guard, Mutex, Throttle, Limiter, Breaker,
                          decltype(RwLock::read)>);
    CHECK(areLockedBySync<ThreadMutex, ThreadThrottle, ThreadLimiter>);
}

TEST_CASE("a section moves values through", "[sync]") {
    Rig rig;
    Guard guard;
    int got = 0;
    rig.flow.add([](IAsyncSteps& asi) { asi.success(std::make_unique<int>(5)); });
    rig.flow.sync(
        guard, [](IAsyncSteps& asi, std::unique_ptr<int> value) { asi.success(std::move(value)); });
    rig.flow.add([&got](IAsyncSteps&, std::unique_ptr<int> value) { got = *value; });
    rig.flow.sync(guard, plain);
    rig.flow.add([&got](IAsyncSteps&, int value) { got += value; });
    CHECK(rig.run() == "ok");
    CHECK(got == 12);
    CHECK(guard.seen == Seen{"lock", "unlock", "lock", "unlock"});
}

TEST_CASE("what stands on a section's stack goes before unlock", "[sync]") {
    struct Tells {
        Guard& guard;
        explicit Tells(Guard& told) : guard(told) {}
        ~Tells() { guard.seen.emplace_back("gone"); }
    };
    Rig rig;
    Guard guard;
    rig.flow.sync(guard, [&guard](IAsyncSteps& asi) {
        asi.stack<Tells>(guard);
        asi.add([&guard](IAsyncSteps&) { guard.seen.emplace_back("inside"); });
    });
    CHECK(rig.run() == "ok");
    CHECK(guard.seen == Seen{"lock", "inside", "gone", "unlock"});
}

TEST_CASE("a lock that another thread grants is owed before its line knows", "[sync][thread]") {
    Rig rig;
    Guard guard;
    guard.waits = true;
    rig.flow.sync(guard, [&guard](IAsyncSteps&) { guard.seen.emplace_back("body"); });
    rig.flow.execute();
    rig.tool.run();
    bool granted = false;
    std::thread([&] { granted = guard.completion.success(); }).join();
    CHECK(granted);
    rig.flow.cancel();
    CHECK(guard.seen == Seen{"lock", "unlock"});
    rig.tool.run();
    CHECK(guard.seen == Seen{"lock", "unlock"});
}

TEST_CASE("a lock that another thread refuses is not owed", "[sync][thread]") {
    Rig rig;
    Guard guard;
    guard.waits = true;
    rig.flow.sync(guard, [](IAsyncSteps&) {});
    rig.flow.execute();
    rig.tool.run();
    std::thread([&] { CHECK(guard.completion.error("Refused")); }).join();
    rig.flow.cancel();
    CHECK(guard.seen == Seen{"lock", "lock cancelled"});
}

TEST_CASE("a section whose flow is destroyed is unlocked", "[sync]") {
    VirtualTool tool;
    Guard guard;
    auto flow = std::make_unique<AsyncSteps>(tool);
    flow->sync(guard, [](IAsyncSteps& asi) { asi.waitExternal(); });
    flow->execute();
    tool.run();
    CHECK(guard.seen == Seen{"lock"});
    flow.reset();
    CHECK(guard.seen == Seen{"lock", "unlock"});
}

TEST_CASE("what unlock throws is reported, and the flow goes on", "[sync]") {
    VirtualTool tool;
    Guard guard;
    guard.misused = true;
    std::string reported;
    steptree::Options options;
    options.report = [&reported](const std::string& code, const std::string&, std::exception_ptr,
                                 const std::string&) { reported = code; };
    AsyncSteps flow(tool, std::move(options));
    bool after = false;
    flow.sync(guard, [](IAsyncSteps&) {});
    flow.add([&after](IAsyncSteps&) { after = true; });
    CHECK(run(tool, flow) == "ok");
    CHECK(after);
    CHECK(reported == steptree::errors::InternalError);
}

TEST_CASE("a flow whose tool goes while it waits for a guard leaves the queue",
          "[sync][lifetime]") {
    steptree::ThreadMutex mutex({.maxQueue = 1});
    VirtualTool tool;
    Completion release;
    bool in = false;
    AsyncSteps holder(tool);
    holder.sync(mutex, [&](IAsyncSteps& asi) { release = asi.waitExternal(); });
    holder.execute();
    tool.run();
    {
        auto brief = std::make_unique<VirtualTool>();
        AsyncSteps waiter(*brief);
        waiter.sync(mutex, [&](IAsyncSteps&) { FAIL("it was never let in"); });
        waiter.execute([](Outcome&) {});
        brief->run();
        brief.reset();
    }
    AsyncSteps next(tool);
    next.sync(mutex, [&](IAsyncSteps&) { in = true; });
    next.execute();
    tool.run();
    CHECK(release.success());
    tool.run();
    CHECK(in);
}

TEST_CASE("a section whose values cancel the flow when they go has no body", "[sync]") {
    Rig rig;
    steptree::Mutex mutex;
    bool ran = false;
    rig.flow
        .add(
            [&rig](IAsyncSteps& asi) { asi.success(std::make_shared<CancelsWhenGone>(&rig.flow)); })
        .sync(mutex, [&ran](IAsyncSteps&) { ran = true; });
    CHECK(rig.run() == "cancelled gone");
    CHECK_FALSE(ran);
    rig.flow.sync(mutex, [&ran](IAsyncSteps&) { ran = true; });
    CHECK(rig.run() == "ok");
    CHECK(ran);
}

TEST_CASE("a section whose values cancel the flow when they go does not wait for its lock",
          "[sync]") {
    Rig rig;
    steptree::Mutex mutex;
    AsyncSteps holder(rig.tool);
    Completion release;
    holder.sync(mutex, [&release](IAsyncSteps& asi) { release = asi.waitExternal(); });
    holder.execute();
    rig.tool.run();
    rig.flow
        .add(
            [&rig](IAsyncSteps& asi) { asi.success(std::make_shared<CancelsWhenGone>(&rig.flow)); })
        .sync(mutex, [](IAsyncSteps&) {});
    CHECK(rig.run() == "cancelled gone");
    release.success();
    rig.tool.run();
    CHECK_FALSE(holder.running());
}

namespace {

/// What a line is told that finds `held` taken, or is inside of it, and wants `guard`.
template <class Held, class Wanted>
std::vector<std::string> infosOf(Held& held, Wanted& guard) {
    std::vector<std::string> infos;
    VirtualTool tool;
    const auto tell = [&infos](Outcome& outcome) {
        try {
            std::rethrow_exception(outcome.error);
        } catch (const steptree::StepError& error) {
            infos.push_back(error.info());
            CHECK(error.refused());
            CHECK(error.guard() == "db");
        }
    };
    AsyncSteps holder(tool);
    holder.sync(held, [](IAsyncSteps& asi) { asi.waitExternal(); });
    holder.execute();
    AsyncSteps refused(tool);
    refused.sync(guard, [](IAsyncSteps&) {});
    refused.execute(tell);
    tool.advance(0);
    holder.cancel();
    tool.advance(1000);
    AsyncSteps inside(tool);
    inside.sync(held,
                [&guard](IAsyncSteps& asi) { asi.parallel().sync(guard, [](IAsyncSteps&) {}); });
    inside.execute(tell);
    tool.run();
    return infos;
}

}  // namespace

TEST_CASE("errors of guards say their names", "[sync]") {
    steptree::Mutex mutex({.maxQueue = 0, .name = "db"});
    steptree::Throttle throttle({.max = 1, .maxQueue = 0, .name = "db"});
    steptree::Limiter limiter({.concurrent = 1, .maxQueue = 0, .name = "db"});
    steptree::ThreadLimiter rate({.maxQueue = 0, .rate = 1, .name = "db"});
    steptree::RwLock lock({.maxQueue = 0, .name = "db"});
    for (const std::string& name : {mutex.name(), throttle.name(), limiter.name(), lock.name()})
        CHECK(name == "db");
    CHECK(steptree::Mutex().name().empty());
    const std::vector<std::vector<std::string>> all{infosOf(mutex, mutex),
                                                    infosOf(mutex, mutex.places(1)),
                                                    infosOf(throttle, throttle),
                                                    infosOf(limiter, limiter),
                                                    infosOf(rate, rate),
                                                    infosOf(lock.write, lock.read),
                                                    infosOf(lock.write, lock.write)};
    for (const auto& infos : all) {
        REQUIRE(infos.size() == 2);
        for (const std::string& info : infos) CHECK(info.find(" 'db': ") != std::string::npos);
    }
}
