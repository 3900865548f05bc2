#include "cleanup.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"

using namespace rig;
using namespace std::chrono_literals;
using steptree::ErrorCode;

TEST_CASE("a cleanup needs no memory to begin", "[cleanup][memory]") {
    Log log;
    log.reserve(10);
    VirtualTool tool;
    AsyncSteps flow(tool);
    std::optional<allocations::Failing> failing;
    flow.add([&](IAsyncSteps& asi) {
        for (const char* name : {"a", "b"}) {
            asi.defer([&log, name](IAsyncSteps&) { log.emplace_back(name); });
        }
        asi.success(1, 2);
        failing.emplace(0, SIZE_MAX);
    });
    flow.add([&](IAsyncSteps&, int one, int two) {
        failing.reset();
        log.push_back(std::to_string(one + two));
    });
    flow.execute();
    tool.run();
    CHECK(log == Log{"b", "a", "3"});
}

TEST_CASE("closed() tells each who asks, after done, and those that ask an idle flow",
          "[cleanup]") {
    Log log;
    VirtualTool tool;
    auto flow = std::make_unique<AsyncSteps>(tool);
    const auto ask = [&](const char* name) {
        flow->closed().onSettled([&log, name](auto&) { log.emplace_back(name); });
    };
    ask("idle");
    flow->add([&](IAsyncSteps& asi) {
        ask("body");
        asi.defer([&](IAsyncSteps&) { ask("deferred"); });
        asi.waitExternal();
    });
    flow->execute([&](Outcome&) { log.emplace_back("done"); });
    ask("running");
    tool.advance(1);
    CHECK(log == Log{"idle"});
    flow->cancel();
    CHECK(log == Log{"idle"});
    tool.run();
    CHECK(log == Log{"idle", "done", "running", "body", "deferred"});
    log.clear();
    flow->add([](IAsyncSteps& asi) { asi.waitExternal(); });
    flow->execute();
    tool.run();
    ask("gone");
    flow.reset();
    tool.run();
    CHECK(log == Log{"gone"});
}

TEST_CASE("what remains costs the same at every depth", "[cleanup]") {
    using Clock = std::chrono::steady_clock;
    constexpr int kCalls = 2000;
    const auto costAt = [](int depth) {
        VirtualTool tool;
        AsyncSteps flow(tool);
        auto cost = Clock::duration::max();
        const std::function<void(IAsyncSteps&, int)> nest = [&](IAsyncSteps& asi, int left) {
            if (left % 2 == 0) asi.setTimeout(1000 + left);
            if (left > 0) {
                asi.add([&nest, left](IAsyncSteps& inner) { nest(inner, left - 1); });
                return;
            }
            for (int round = 0; round < 20; ++round) {
                const auto begun = Clock::now();
                for (int i = 0; i < kCalls; ++i) CHECK_FALSE(asi.remaining() != 1000);
                cost = std::min(cost, Clock::now() - begun);
            }
            asi.success();
        };
        flow.add([&](IAsyncSteps& asi) { nest(asi, depth); });
        flow.execute();
        tool.run();
        REQUIRE(cost != Clock::duration::max());
        return cost;
    };
    costAt(2);
    CHECK(costAt(20'000) < 4 * costAt(2));
}

TEST_CASE("the nearest deadline remains, whichever it is", "[cleanup]") {
    Rig rig;
    Log log;
    const auto ask = [&log](IAsyncSteps& asi) {
        const auto left = asi.remaining();
        log.push_back(left == INT64_MAX ? "-" : std::to_string(left));
    };
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            ask(asi);
            asi.setTimeout(50);
            ask(asi);
            asi.add([&](IAsyncSteps& inner) {
                inner.setTimeout(80);
                ask(inner);
                inner.setTimeout(20);
                ask(inner);
                inner.setTimeout(60);
                ask(inner);
            });
        },
        [&](IAsyncSteps& asi, ErrorCode) {
            ask(asi);
            asi.success();
        });
    rig.flow.add([&](IAsyncSteps& asi) { ask(asi); });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"-", "50", "50", "20", "50", "-", "-"});
}

TEST_CASE("report is told the path of what is abandoned, and what went wrong in it", "[cleanup]") {
    VirtualTool tool;
    Log told;
    steptree::Options options;
    options.grace = std::chrono::milliseconds(10);
    options.report = [&told](const std::string& code, const std::string&,
                             const std::exception_ptr& thrown, const std::string& path) {
        told.push_back(code + " " + path);
        try {
            std::rethrow_exception(thrown);
        } catch (const StepError& error) {
            for (const StepError& one : error.also()) told.push_back("also " + one.code());
        }
    };
    AsyncSteps flow(tool, std::move(options));
    flow.add([](IAsyncSteps& asi) {
        asi.defer([](IAsyncSteps&) {});
        asi.defer([](IAsyncSteps& inner) {
            inner.add([](IAsyncSteps& failing) {
                failing.defer([](IAsyncSteps& waits) { waits.waitExternal(); });
                failing.error("E");
            });
        });
    });
    CHECK(run(tool, flow) == "ok");
    CHECK(told == Log{"Timeout 0/~1", "also E"});
}
