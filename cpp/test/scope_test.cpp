#include "steptree/scope.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "allocations.hpp"
#include "catch.hpp"
#include "cleanup.hpp"
#include "steptree/detail/toolcore.hpp"
#include "steptree/mutex.hpp"
#include "steptree/run.hpp"

using namespace rig;
using steptree::Future;
using steptree::Mutex;
using steptree::Options;
using steptree::Scope;
using steptree::StartOptions;

namespace {

/// Logs its end, and waits; what it captures is counted.
auto waits(Log& log, std::string name, std::shared_ptr<int> held = nullptr) {
    return step([&log, name, held](IAsyncSteps& asi) {
        log.push_back(name);
        asi.defer([&log, name](IAsyncSteps&) { log.push_back(name + " bye"); });
        asi.setCancel([&log, name](IAsyncSteps&) { log.push_back(name + "~"); });
    });
}

void plainWait(IAsyncSteps& asi) {
    asi.waitExternal();
}

std::shared_ptr<const Options> unhandledTo(Log& log, const std::string& who) {
    Options options;
    options.unhandled = [&log, who](const std::string& code, auto&&...) {
        log.push_back(who + code);
    };
    return std::make_shared<const Options>(std::move(options));
}

IFlow::Done telling(Log& log, std::string name) {
    return [&log, name](Outcome& outcome) {
        log.push_back(name + (outcome.kind == OutcomeKind::ok ? " ok" : " " + outcome.code));
    };
}

}  // namespace

TEST_CASE("a flow that a tool has started is freed when it has ended", "[owners]") {
    Log log;
    VirtualTool tool;
    const auto held = std::make_shared<int>();
    tool.start(step([held](IAsyncSteps& asi) { asi.add([held](IAsyncSteps&) {}); }),
               {.done = telling(log, "a")});
    tool.start(step([held](IAsyncSteps& asi) { asi.error("E"); }), {.done = telling(log, "b")});
    tool.start(step([held](IAsyncSteps&) {}));
    Future<int> result = steptree::run(tool, step([held](IAsyncSteps&) { return 7; }));
    CHECK(held.use_count() == 5);
    tool.run();
    CHECK(log == Log{"a ok", "b E"});
    CHECK(result.get() == 7);
    CHECK(held.use_count() == 1);
    CHECK(tool.core().flowsLive.first() == nullptr);
}

TEST_CASE("an error of a started flow that nobody hears of is unhandled", "[owners]") {
    Log log;
    VirtualTool tool;
    const auto fails = step([](IAsyncSteps& asi) { asi.error("E"); });
    const auto policy = unhandledTo(log, "");
    tool.start(fails, {.options = policy});
    tool.start(fails, {.options = policy});
    tool.run();
    CHECK(log == Log{"E", "E"});
    CHECK(policy.use_count() == 1);
}

TEST_CASE("flows of a scope share its options, and a start may have others", "[owners]") {
    Log log;
    VirtualTool tool;
    const auto fails = step([](IAsyncSteps& asi) { asi.error("E"); });
    {
        Scope scope(tool, unhandledTo(log, "scope "));
        scope.start(fails);
        scope.start(fails, {.options = unhandledTo(log, "start ")});
        tool.run();
        CHECK_FALSE(scope.draining());
        static_cast<void>(scope.drain(5));
        CHECK(scope.draining());
    }
    CHECK(log == Log{"scope E", "start E"});
    const auto bad = std::make_shared<const Options>(Options{.burst = 0});
    CHECK_THROWS_AS(Scope(tool, bad), StepError);
    tool.run();
}

TEST_CASE("run takes a signal, options, or both", "[owners]") {
    Log log;
    VirtualTool tool;
    Options options;
    options.report = [&log](const std::string& code, auto&&...) { log.push_back(code); };
    const auto policy = std::make_shared<const Options>(std::move(options));
    std::stop_source stop;
    const auto value = step([](IAsyncSteps& asi) {
        asi.setCancel([](IAsyncSteps&) { throw StepError("Reported"); });
        asi.waitExternal();
    });
    const Future<void> both = run(tool, value, {.signal = stop.get_token(), .options = policy});
    const Future<void> bare = run(tool, step(plainWait), {.signal = stop.get_token()});
    tool.run();
    stop.request_stop();
    tool.run();
    CHECK_THROWS_AS(both.get(), StepError);
    CHECK_THROWS_AS(bare.get(), StepError);
    CHECK(log == Log{"Reported"});
}

TEST_CASE("a signal that is stopped begins nothing, and cancels one flow later", "[owners]") {
    Log log;
    VirtualTool tool;
    std::stop_source stopped;
    std::stop_source later;
    stopped.request_stop();
    Scope scope(tool);
    tool.start(waits(log, "never"), {.done = telling(log, "a"), .signal = stopped.get_token()});
    scope.start(waits(log, "never"), {.done = telling(log, "b"), .signal = stopped.get_token()});
    scope.start(waits(log, "c"), {.done = telling(log, "c"), .signal = later.get_token()});
    tool.advance(1);
    later.request_stop();
    tool.run();
    CHECK(log == Log{"a Canceled", "b Canceled", "c", "c~", "c bye", "c Canceled"});
}

TEST_CASE("a tool that goes destroys what it owns first, on a tool that works", "[owners]") {
    Log log;
    const auto held = std::make_shared<int>();
    Mutex mutex;
    std::optional<VirtualTool> tool(std::in_place);
    AsyncSteps mine(*tool);
    mine.add(
        [&](IAsyncSteps& asi) { asi.setCancel([&](IAsyncSteps&) { log.push_back("mine~"); }); });
    mine.execute();
    std::optional<Scope> scope(std::in_place, *tool);
    tool->start(waits(log, "a", held), {.done = [held](Outcome&) {}});
    scope->start(waits(log, "b", held), {.done = [held](Outcome&) {}});
    Future<> result = steptree::run(*tool, step([&, held](IAsyncSteps& asi) {
        asi.add(sync(mutex, [&](IAsyncSteps& inner) {
            inner.setCancel([&](IAsyncSteps&) {
                tool->immediate([held] {});
                tool->start(step([held](IAsyncSteps&) {}));
                log.push_back("run~ " + std::to_string(tool->now()));
            });
        }));
    }));
    tool->advance(1);
    CHECK(log == Log{"a", "b"});
    log.clear();
    const auto drained = scope->drain(50);
    tool.reset();
    CHECK(log == Log{"a~", "a bye", "b~", "b bye", "run~ 1"});
    CHECK(held.use_count() == 1);
    CHECK(codeOf([&] { result.get(); }) == "Canceled");
    REQUIRE(drained.settled());
    CHECK(codeOf([&] { drained.get(); }) == "Canceled");
    CHECK(codeOf([&] { scope->start(waits(log, "late")); }) == "InternalError");
    try {
        static_cast<void>(scope->run(waits(log, "late")));
        FAIL("it has begun");
    } catch (const StepError& error) {
        CHECK(std::string(error.info()) == "run: the tool of the scope is gone");
    }
    CHECK(scope->close().settled());
    scope.reset();
    CHECK(mine.running());
}

TEST_CASE("a tool may go in the body of a flow that it owns", "[owners]") {
    for (const bool isScope : {false, true}) {
        Log log;
        auto tool = std::make_unique<VirtualTool>();
        VirtualTool& runs = *tool;
        const auto held = std::make_shared<int>();
        Scope scope(runs);
        const auto die = step([&, held](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) { log.push_back("own~"); });
            tool.reset();
            log.push_back("still");
        });
        tool->start(waits(log, "a", held));
        if (isScope) {
            scope.start(die);
        } else {
            tool->start(die);
        }
        runs.run();
        CHECK(log == Log{"a", "a~", "a bye", "still", "own~"});
        CHECK(held.use_count() == 2);  // die's
    }
}

TEST_CASE("a cancel handler may destroy the tool that cancels its flow", "[owners]") {
    Log log;
    auto tool = std::make_unique<VirtualTool>();
    VirtualTool& runs = *tool;
    const auto held = std::make_shared<int>();
    std::stop_source stop;
    runs.start(waits(log, "a", held));
    runs.start(step([&](IAsyncSteps& asi) {
                   asi.setCancel([&](IAsyncSteps&) {
                       tool.reset();
                       log.push_back("gone");
                   });
               }),
               {.signal = stop.get_token()});
    runs.immediate([&] { runs.immediate([&] { stop.request_stop(); }); });
    runs.run();
    CHECK(log == Log{"a", "gone", "a~", "a bye"});
    CHECK(held.use_count() == 1);
}

TEST_CASE("flows that end each other while their tool goes each end once", "[owners]") {
    Log log;
    std::optional<VirtualTool> tool(std::in_place);
    std::stop_source stop;
    const auto end = [&](const char* name) {
        return step([&, name](IAsyncSteps& asi) {
            asi.setCancel([&, name](IAsyncSteps&) {
                log.push_back(name);
                stop.request_stop();
            });
        });
    };
    for (const char* name : {"a", "b", "c"}) tool->start(end(name), {.signal = stop.get_token()});
    tool->run();
    tool.reset();
    CHECK(log.size() == 3);
}

TEST_CASE("a scope that goes destroys its flows, and waits for nothing", "[owners]") {
    Log log;
    VirtualTool tool;
    const auto held = std::make_shared<int>();
    tool.start(waits(log, "other"));
    {
        Scope scope(tool);
        scope.start(waits(log, "a", held), {.done = telling(log, "a")});
        StartOptions options;
        options.options = std::make_shared<const Options>(reporting(log));
        scope.start(step([&log, held](IAsyncSteps& asi) {
                        asi.defer([&log](IAsyncSteps& own) {
                            log.push_back("b bye");
                            own.add(delay(5));
                        });
                        asi.waitExternal();
                    }),
                    std::move(options));
        tool.advance(1);
        log.clear();
    }
    CHECK(log == Log{"a~", "a bye", "b bye", "Timeout 0/~0"});
    CHECK(held.use_count() == 1);
    tool.advance(0);
    CHECK(log.back() == "a Canceled");
}

TEST_CASE("a scope may go in a body, a cancel handler and a `done` of its own", "[owners]") {
    Log log;
    VirtualTool tool;
    auto scope = std::make_unique<Scope>(tool);
    SECTION("body") {
        scope->start(waits(log, "a"));
        scope->start(step([&](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) { log.push_back("own~"); });
            scope.reset();
            log.push_back("still");
        }));
        tool.run();
        CHECK(log == Log{"a", "a~", "a bye", "still", "own~"});
    }
    SECTION("cancel handler") {
        scope->start(step([&](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) {
                scope.reset();
                log.push_back("gone");
            });
        }));
        scope->start(waits(log, "b"));
        tool.advance(1);
        const auto closed = scope->close();
        CHECK(log == Log{"b", "gone", "b~", "b bye"});
        tool.run();
        CHECK(closed.settled());
    }
    SECTION("done") {
        scope->start(waits(log, "a"));
        scope->start(step([](IAsyncSteps&) {}), {.done = [&](Outcome&) { scope.reset(); }});
        tool.run();
        CHECK(log == Log{"a", "a~", "a bye"});
    }
    CHECK(scope == nullptr);
}

TEST_CASE("a scope whose tool is short of memory starts nothing, or all", "[owners]") {
    for (std::size_t after = 0;; ++after) {
        Log log;
        VirtualTool tool;
        const auto held = std::make_shared<int>();
        std::size_t failed = 0;
        {
            Scope scope(tool);
            const auto value = waits(log, "a", held);
            std::stop_source stop;
            StartOptions options;
            options.options = std::make_shared<const Options>();
            options.done = [held](Outcome&) {};
            options.signal = stop.get_token();
            try {
                const allocations::Failing failing(after, 1);
                try {
                    scope.start(value, std::move(options));
                } catch (...) {
                    failed = failing.failed();
                    throw;
                }
                failed = failing.failed();
            } catch (const std::bad_alloc&) {
                CHECK(failed == 1);
            }
            options = {};
            tool.advance(1);
            CHECK(log.size() == (failed == 0 ? 1 : 0));
            CHECK((tool.core().flowsLive.first() == nullptr) == (failed == 1));
        }
        tool.run();
        CHECK(held.use_count() == 1);
        CHECK(tool.armedTimers() == 0);
        if (failed == 0) break;
    }
}

TEST_CASE("a start that finds no memory writes to nothing that it has given back", "[owners]") {
    struct Keeping final : steptree::IMemPool {
        void* allocate(std::size_t size) override { return ::operator new(size); }
        void deallocate(void* memory, std::size_t size) noexcept override {
            std::memset(memory, 0xdd, size);
            given[count++] = {static_cast<unsigned char*>(memory), size};
        }
        bool isAsGiven() const {
            return std::all_of(given.begin(), given.begin() + count, [](const auto& block) {
                return std::all_of(block.first, block.first + block.second,
                                   [](unsigned char byte) { return byte == 0xdd; });
            });
        }
        ~Keeping() {
            for (std::size_t i = 0; i < count; ++i) ::operator delete(given[i].first);
        }

        std::array<std::pair<unsigned char*, std::size_t>, 100> given;
        std::size_t count = 0;
    };
    const auto value = step([](IAsyncSteps&) {});
    const std::stop_source stop;
    for (const bool inScope : {false, true}) {
        std::size_t failed = 1;
        for (std::size_t after = 0; failed != 0; ++after) {
            Keeping pool;
            {
                VirtualTool tool({.pool = &pool});
                Scope scope(tool);
                const allocations::Failing failing(after, 1);
                try {
                    StartOptions options{.done = [](Outcome&) {}, .signal = stop.get_token()};
                    inScope ? scope.start(value, std::move(options))
                            : tool.start(value, std::move(options));
                } catch (const std::bad_alloc&) {
                }
                failed = failing.failed();
            }
            CAPTURE(inScope, after);
            CHECK(pool.isAsGiven());
        }
    }
}

TEST_CASE("ten thousand flows of a scope are closed in linear time, and leave nothing",
          "[owners]") {
    VirtualTool tool;
    Scope scope(tool);
    int ended = 0;
    for (int i = 0; i < 10'000; ++i) {
        scope.start(step([](IAsyncSteps& asi) { asi.waitExternal(); }),
                    {.done = [&](Outcome&) { ++ended; }});
    }
    tool.run();
    const auto closed = scope.close();
    tool.run();
    CHECK(ended == 10'000);
    CHECK(closed.settled());
}
