#include "cleanup.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "steptree/nitrosteps.hpp"

using namespace rig;
using namespace std::chrono_literals;
using steptree::ErrorCode;

namespace {

/// Counts those that are alive.
using Token = std::shared_ptr<int>;

}  // namespace

TEST_CASE("captures of deferred functions are destroyed once, called or not", "[cleanup]") {
    const Token token = std::make_shared<int>(0);
    const auto defers = [&token](IAsyncSteps& asi) {
        for (int i = 0; i < 3; ++i) {
            asi.defer([token, large = std::array<char, 600>{}](IAsyncSteps& own) {
                static_cast<void>(large);
                own.add([token](IAsyncSteps&) {});
            });
        }
    };
    Rig rig;
    rig.flow.add(defers).add([&](IAsyncSteps& asi) {
        defers(asi);
        asi.waitExternal();
    });
    CHECK(rig.run() == "waiting");
    CHECK(token.use_count() == 1);
    Log log;
    {
        AsyncSteps flow(rig.tool, [&] {
            steptree::Options options = reporting(log);
            options.grace = 5ms;
            return options;
        }());
        flow.add([&](IAsyncSteps& asi) {
            asi.defer([&](IAsyncSteps& own) {
                own.add([&](IAsyncSteps& inner) {
                    defers(inner);
                    inner.shield(1000, [&](IAsyncSteps& shielded) {
                        defers(shielded);
                        shielded.waitExternal();
                    });
                });
            });
        });
        flow.execute();
        rig.tool.run();
        CHECK_FALSE(flow.running());
    }
    CHECK(log == Log{"Timeout 0/~0"});
    CHECK(token.use_count() == 1);
}

TEST_CASE("a function that can't be kept leaves the step as it was", "[cleanup]") {
    struct Refuses {
        Refuses() = default;
        Refuses(const Refuses&) { throw std::runtime_error("refused"); }
        void operator()(IAsyncSteps&) const {}
    };
    Rig rig;
    Log log;
    rig.flow.add([&](IAsyncSteps& asi) {
        const Refuses refuses;
        try {
            asi.defer(refuses);
        } catch (const std::runtime_error& e) {
            log.emplace_back(e.what());
        }
        asi.defer([&](IAsyncSteps& own) { own.errorNoThrow("Late"); });
    });
    rig.flow.add([](IAsyncSteps&) {}, nullptr);
    CHECK(rig.run() == "error Late");
    CHECK(log == Log{"refused"});
}

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

TEST_CASE("a NitroSteps without room for it raises OutOfSteps where defer is called",
          "[cleanup][nitro]") {
    VirtualTool tool;
    Log log;
    steptree::NitroSteps<steptree::MaxSteps<1>, steptree::MaxLoops<0>, steptree::MaxParallels<0>,
                         steptree::MaxTimeouts<0>, steptree::MaxCancels<0>, steptree::MaxAwaits<0>,
                         steptree::MaxBranches<0>, steptree::MaxDefers<2>>
        flow(tool);
    flow.add([&log](IAsyncSteps& asi) {
        for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
            asi.defer([&log, name](IAsyncSteps&) { log.emplace_back(name); });
        }
    });
    CHECK(run(tool, flow) == "error OutOfSteps");
    REQUIRE(log.size() >= 2);
    CHECK(log.back() == "a");
    CHECK(log.size() < 6);
    std::string got;
    flow.add([&](IAsyncSteps& asi) {
        asi.defer([](IAsyncSteps& own) { own.success(7); });
        asi.success(std::string("kept"));
    });
    CHECK(run(tool, flow) == "ok");
}

TEST_CASE("a deferred function that captures more than a NitroSteps has room for is refused",
          "[cleanup][nitro]") {
    VirtualTool tool;
    steptree::NitroSteps<> flow(tool);
    std::string code;
    flow.add([&code](IAsyncSteps& asi) {
        code = codeOf([&asi] {
            asi.defer(
                [large = std::array<char, 4000>{}](IAsyncSteps&) { static_cast<void>(large); });
        });
    });
    CHECK(run(tool, flow) == "error OutOfSteps");
    CHECK(code == "OutOfSteps");
}

TEST_CASE("a wrong grace or limit is refused", "[cleanup]") {
    Rig rig;
    steptree::Options options;
    options.grace = -1ms;
    CHECK(codeOf([&] { AsyncSteps(rig.tool, std::move(options)); }) ==
          steptree::errors::InternalError);
    const auto body = [](IAsyncSteps&) {};
    CHECK(codeOf([&] { rig.flow.shield(-1ms, body); }) == steptree::errors::InternalError);
    CHECK(codeOf([&] { rig.flow.shield(std::chrono::milliseconds::max(), body); }) ==
          steptree::errors::InternalError);
    CHECK(rig.run() == "ok");
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
                for (int i = 0; i < kCalls; ++i) CHECK_FALSE(asi.remaining() != 1000ms);
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
        log.push_back(left == std::chrono::milliseconds::max() ? "-"
                                                               : std::to_string(left.count()));
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
