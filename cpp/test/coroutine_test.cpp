#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/isync.hpp"
#include "steptree/task.hpp"

using namespace rig;
using steptree::ErrorCode;
using steptree::Promise;
using steptree::Task;

namespace {

using Log = std::vector<std::string>;

Task<int> twice(IAsyncSteps& asi, int number) {
    co_await asi.add(delay(number));
    co_return 2 * number;
}

}  // namespace

TEST_CASE("a coroutine is one body, with the value that it returns", "[coroutine]") {
    Rig rig;
    std::string got;
    rig.flow.successStep(20)
        .add([&](IAsyncSteps& asi, int ms) -> Task<std::string> {
            co_await asi.add(delay(ms));
            CHECK(rig.tool.now() == 20);
            CHECK(asi.valid());
            asi.state<int>("seen") = 1;
            co_await asi;  // of nothing
            co_return std::to_string(asi.state<int>("seen"));
        })
        .add([&](IAsyncSteps&, std::string text) { got = text; });
    CHECK(rig.run() == "ok");
    CHECK(got == "1");
    CHECK(rig.tool.now() == 20);
}

TEST_CASE("a coroutine awaits what it has added", "[coroutine]") {
    Rig rig;
    Log log;
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> {
        Results both = co_await asi.successStep(1, std::string("two"));
        log.push_back(std::to_string(both.at<int>(0)) + both.at<std::string>(1));
        asi.add([&](IAsyncSteps& asi) { asi.success(1); });
        const Results last = co_await asi.add([&](IAsyncSteps& asi, int n) { asi.success(n + 1); });
        log.push_back(std::to_string(last.at<int>(0)));
        co_await asi.repeat(
            3, [&](IAsyncSteps&, std::int64_t i) { log.push_back("#" + std::to_string(i)); });
        IParallel& parallel = asi.parallel();
        parallel.add(
            [&](IAsyncSteps& asi) -> Task<> { co_await asi.add(delay(2)), log.push_back("late"); });
        parallel.add([&](IAsyncSteps& asi) -> Task<> {
            co_await asi.add(delay(1)), log.push_back("early");
        });
        co_await parallel;
        const auto first = race(
            [](IAsyncSteps& asi) -> Task<int> {
                co_await asi.add(delay(9));
                co_return 9;
            },
            [](IAsyncSteps& asi) { return twice(asi, 2); });
        const Results won = co_await asi.add(first);
        log.push_back(std::to_string(won.at<int>(0)));
    });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"1two", "2", "#0", "#1", "#2", "early", "late", "4"});
    CHECK(rig.tool.now() == 4);
}

TEST_CASE("a coroutine awaits futures", "[coroutine]") {
    Rig rig;
    Promise<std::unique_ptr<int>> number;
    Promise<> nothing;
    Promise<int> never;
    int got = 0;
    bool failed = false;
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> {
        const std::unique_ptr<int> value = co_await number.future();
        co_await nothing.future();
        AsyncSteps other(rig.tool);
        other.successStep(1, 2);
        const Results all = co_await other.promise<Results>();
        got = *value + all.at<int>(1);
        try {
            co_await never.future();
        } catch (const std::system_error& error) {  // as it was thrown, though it has a code
            failed = error.code() == std::errc::timed_out;
        }
        co_await asi;
    });
    rig.flow.execute();
    rig.tool.run();
    number.success(std::make_unique<int>(5));
    nothing.success();
    rig.tool.run();
    CHECK(got == 7);
    never.fail(
        std::make_exception_ptr(std::system_error(std::make_error_code(std::errc::timed_out))));
    rig.tool.run();
    CHECK(failed);
    CHECK_FALSE(rig.flow.running());
}

TEST_CASE("what a coroutine has latched decides when it suspends itself", "[coroutine]") {
    Rig rig;
    Log log;
    struct Gone {
        Log& log;
        ~Gone() { log.push_back("gone"); }
    };
    rig.flow.loop([&](IAsyncSteps& asi) {
        asi.add([&](IAsyncSteps& asi) -> Task<> {
            const Gone gone{log};
            co_await asi.add(delay(1));
            try {
                asi.breakLoop();
            } catch (...) {
                log.push_back("swallowed");
            }
            co_await asi.add(delay(1000));
            log.push_back("no");
        });
    });
    rig.flow
        .add([&](IAsyncSteps& asi) -> Task<int> {
            co_await asi.add(delay(1));
            asi.success(1);
            co_await asi;
            co_return 2;
        })
        .add([&](IAsyncSteps& asi, int value) -> Task<> {
            log.push_back(std::to_string(value));
            const Gone gone{log};
            asi.success(std::string("said"));
            co_await asi;
            log.push_back("no");
        })
        .add([&](IAsyncSteps&, std::string value) { log.push_back(value); });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"swallowed", "gone", "1", "gone", "said"});
    CHECK(rig.tool.now() == 2);
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> {
        asi.success();
        co_await asi.add(delay(1));
    });
    CHECK(rig.run() == "error InternalError");
}

TEST_CASE("tasks await tasks of the same step", "[coroutine]") {
    Rig rig;
    Log log;
    const auto failing = [&](IAsyncSteps& asi) -> Task<std::unique_ptr<int>> {
        co_await asi.add(delay(1));
        throw StepError("Inner");
    };
    rig.flow
        .add([&](IAsyncSteps& asi) -> Task<std::unique_ptr<int>> {
            const int sum = co_await twice(asi, 3) + co_await twice(asi, 4);
            try {
                co_await failing(asi);
            } catch (const StepError& error) {
                log.push_back(error.code());
            }
            Task<int> unused = twice(asi, 100);
            Task<int> later = twice(asi, 1);
            later = twice(asi, 2);
            co_return std::make_unique<int>(sum + co_await std::move(later));
        })
        .add([&](IAsyncSteps&, std::unique_ptr<int> sum) { log.push_back(std::to_string(*sum)); });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"Inner", "18"});
    CHECK(rig.tool.now() == 10);
}

TEST_CASE("steps of all kinds may have coroutines as bodies", "[coroutine]") {
    Rig rig;
    Log log;
    const auto say = [&](IAsyncSteps& asi, std::string text) -> Task<> {
        co_await asi.add(delay(1));
        log.push_back(text);
    };
    struct Guard final : steptree::ISync {
        void lock(IAsyncSteps&) override { ++held; }
        void unlock(IAsyncSteps&, const steptree::Outcome&) override { --held; }
        int held = 0;
    } guard;
    const std::vector<std::string> texts{"a", "b"};
    rig.flow
        .repeat(2, [&](IAsyncSteps& asi, std::int64_t i) { return say(asi, std::to_string(i)); })
        .loop([&](IAsyncSteps& asi) -> Task<> {
            co_await say(asi, "loop");
            asi.breakLoop();
        })
        .forEach(texts, [&](IAsyncSteps& asi, std::size_t,
                            const std::string& text) { return say(asi, text); })
        .sync(guard,
              [&](IAsyncSteps& asi) -> Task<> {
                  CHECK(guard.held == 1);
                  co_await say(asi, "sync");
                  CHECK(guard.held == 1);
              })
        .add(shield(100, [&](IAsyncSteps& asi) { return say(asi, "shield"); }))
        .add(retry({.max = 2},
                   [&](IAsyncSteps& asi, std::int64_t attempt) -> Task<> {
                       co_await say(asi, "attempt");
                       if (attempt == 1) throw StepError("Again");
                   }))
        .add(map<int>(texts, {.limit = 2},
                      [&](IAsyncSteps& asi, const std::string& text) -> Task<int> {
                          co_await say(asi, text);
                          co_return static_cast<int>(text[0]);
                      }))
        .add([&](IAsyncSteps& asi, std::vector<int> all) -> Task<> {
            asi.defer([&](IAsyncSteps& asi) { return say(asi, "deferred"); });
            co_await say(asi, std::to_string(all.size()));
            asi.defer([&](IAsyncSteps& asi) { return say(asi, "deferred first"); });
            co_await say(asi, "end");
        });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"0", "1", "loop", "a", "b", "sync", "shield", "attempt", "attempt", "a", "b",
                     "2", "end", "deferred first", "deferred"});
    CHECK(guard.held == 0);
}

TEST_CASE("a coroutine awaits no other step's accessor", "[coroutine]") {
    Rig rig;
    rig.flow.add([](IAsyncSteps& outer) -> Task<> {
        co_await outer.add([&outer](IAsyncSteps& asi) -> Task<> {
            co_await asi.add(delay(1));
            co_await outer;
        });
    });
    CHECK(rig.run() == "error InternalError");
}

TEST_CASE("each time that a coroutine goes on counts as a body", "[coroutine]") {
    VirtualTool tool;
    steptree::Options options;
    options.burst = 2;
    AsyncSteps flow(tool, std::move(options));
    Log log;
    flow.add([&](IAsyncSteps& asi) -> Task<> {
        for (int i = 0; i < 3; ++i) {
            log.push_back(std::to_string(i));
            co_await asi;
        }
    });
    flow.execute();
    tool.immediate([&] { log.push_back("other"); });
    tool.run();
    CHECK(log == Log{"0", "1", "other", "2"});
}

TEST_CASE("the accessor of a coroutine that waits for its line's turn takes no calls",
          "[coroutine]") {
    VirtualTool tool;
    steptree::Options options;
    options.burst = 2;
    AsyncSteps flow(tool, std::move(options));
    IAsyncSteps* kept = nullptr;
    std::vector<bool> valid;
    flow.add([&](IAsyncSteps& asi) -> Task<> {
        kept = &asi;
        co_await asi.add([](IAsyncSteps&) {});
        valid.push_back(asi.valid());
    });
    flow.execute();
    tool.immediate([&] { valid.push_back(kept->valid()); });
    tool.run();
    CHECK(valid == std::vector<bool>{false, true});
}

TEST_CASE("a completion is over when the coroutine that has made it suspends itself",
          "[coroutine]") {
    Rig rig;
    std::vector<bool> claims;
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> {
        const Completion completion = asi.waitExternal();
        claims.push_back(completion.valid());
        co_await asi;
        claims.push_back(completion.valid());
        claims.push_back(completion.error("Late"));
    });
    CHECK(rig.run() == "ok");
    CHECK(claims == std::vector<bool>{true, false, false});
}
