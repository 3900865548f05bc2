#include "steptree/hedge.hpp"

#include <chrono>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/nitrosteps.hpp"

using namespace rig;
using namespace std::chrono_literals;
using steptree::HedgeOptions;
using steptree::RetryBudget;
using steptree::RetryDecision;
using steptree::Values;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// What the message of a refused hedge says.
std::string refused(HedgeOptions options) {
    try {
        static_cast<void>(hedge(std::move(options), [](IAsyncSteps&) {}));
    } catch (const StepError& error) {
        CHECK(error.code() == "InternalError");
        return error.info();
    }
    return "taken";
}

}  // namespace

TEST_CASE("an attempt that is slow is overtaken by the next one, and stopped", "[flow]") {
    Rig rig;
    std::vector<std::int64_t> stopped;
    std::string answer;
    const auto ask =
        hedge({.after = 49'500us}, [&](IAsyncSteps& asi, int attempt) -> Values<std::string> {
            asi.setCancel([&stopped, &rig, attempt](IAsyncSteps&) {
                stopped = {attempt, rig.tool.now()};
            });
            auto done = asi.waitExternal();
            rig.tool.deferred(attempt == 1 ? 500 : 20, [done, attempt] {
                done.success("answer " + std::to_string(attempt));
            });
            return {};
        });
    rig.flow.add(ask).add([&](IAsyncSteps&, const std::string& text) { answer = text; });
    CHECK(rig.run() == "ok");
    CHECK(answer == "answer 2");
    CHECK(stopped == std::vector<std::int64_t>{1, 70});
}

TEST_CASE("who is asked gets the error, and may say when the next attempt begins", "[flow]") {
    Rig rig;
    std::vector<std::int64_t> times;
    std::string log;
    const auto on = [&](const std::string& code, const StepError& error) -> RetryDecision {
        log += code + ' ' + error.info() + ' ' + error.path() + ';';
        if (code == "Soon") return 9500us;
        return code == "Again";
    };
    rig.flow.add(hedge({.after = kInfinity, .max = 9, .on = on},
                       [&](IAsyncSteps& asi, std::int64_t attempt) {
                           times.push_back(rig.tool.now());
                           asi.error(attempt == 1 ? "Soon" : attempt == 2 ? "Again" : "Enough");
                       }),
                 [&](IAsyncSteps& asi, const std::string&) {
                     for (const StepError& error : asi.state().lastError()->also())
                         log += ' ' + error.code();
                 });
    CHECK(rig.run() == "error Enough");
    CHECK(times == std::vector<std::int64_t>{0, 10, 10});
    CHECK(log == "Soon  0/|0;Again  0/|1;Enough  0/|2; Soon Again");
}

TEST_CASE("what is thrown by who is asked takes the error's place, and stops all attempts",
          "[flow]") {
    Rig rig;
    std::vector<int> stopped;
    std::string seen;
    const auto on = [](const std::string&) -> bool { throw std::runtime_error("asked"); };
    rig.flow.add(
        hedge({.after = 5, .on = on},
              [&](IAsyncSteps& asi, int attempt) {
                  asi.setCancel([&stopped, attempt](IAsyncSteps&) { stopped.push_back(attempt); });
                  auto done = asi.waitExternal();
                  if (attempt == 2) rig.tool.deferred(5, [done] { done.error("Busy"); });
              }),
        [&](IAsyncSteps& asi, const std::string& code) {
            seen = code + ' ' + asi.state().errorInfo();
            asi.success();
        });
    CHECK(rig.run() == "ok");
    CHECK(seen == "InternalError asked");
    CHECK(stopped == std::vector<int>{2, 1});
    CHECK(rig.tool.armedTimers() == 0);
}

TEST_CASE("the flow may be cancelled by who is asked whether to hedge", "[flow]") {
    for (const bool shielded : {false, true}) {
        Rig rig;
        const auto on = [&rig](const std::string&) {
            rig.flow.cancel("asked");
            return true;
        };
        const auto hedged =
            hedge({.after = 5, .max = 4, .on = on}, [&](IAsyncSteps& asi, int attempt) {
                auto done = asi.waitExternal();
                if (attempt == 2) rig.tool.deferred(2, [done] { done.error("Busy"); });
                if (attempt == 3) rig.tool.deferred(2, [done] { done.success(); });
            });
        shielded ? rig.flow.add(shield(1s, hedged)) : rig.flow.add(hedged);
        CHECK(rig.run() == "cancelled asked");
        CHECK(rig.tool.now() == (shielded ? 12 : 7));
        CHECK(rig.tool.armedTimers() == 0);
    }
}

TEST_CASE("the one exception that all attempts throw stands there once", "[flow]") {
    const auto same = std::make_exception_ptr(std::runtime_error("same"));
    Rig rig;
    std::size_t also = 9;
    rig.flow.add(hedge({.after = 5, .max = 3, .on = [](const std::string&) { return true; }},
                       [&](IAsyncSteps&) { std::rethrow_exception(same); }),
                 [&](IAsyncSteps& asi, const std::string&) {
                     also = asi.state().lastError()->also().size();
                     asi.success();
                 });
    CHECK(rig.run() == "ok");
    CHECK(also == 0);
}

TEST_CASE("one hedge serves many flows at once, with a budget for all of them", "[flow]") {
    VirtualTool tool;
    RetryBudget budget({.capacity = 2, .ratio = 0.5});
    std::string attempts;
    const auto ask = hedge(
        {.after = 5, .max = 9, .budget = &budget},
        [&](IAsyncSteps& asi, const std::string& id, int attempt) -> Values<std::string> {
            attempts += id + std::to_string(attempt);
            auto done = asi.waitExternal();
            tool.deferred(8, [done, id, attempt] { done.success(id + std::to_string(attempt)); });
            return {};
        });
    std::string ends;
    AsyncSteps flows[3]{AsyncSteps(tool), AsyncSteps(tool), AsyncSteps(tool)};
    for (int i = 0; i < 3; ++i) {
        flows[i].add(ask.with(std::string(1, static_cast<char>('a' + i))));
        flows[i].add([&ends](IAsyncSteps&, const std::string& text) { ends += text; });
        flows[i].execute();
    }
    tool.run();
    CHECK(attempts == "a1b1c1a2b2");
    CHECK(ends == "a1b1c1");
    CHECK(budget.tokens() == 1.5);
}

TEST_CASE("a hedge keeps nothing when it is done, cancelled or gone", "[flow]") {
    const auto token = std::make_shared<int>();
    const auto fill = [&token](IFlow& flow, bool waits) {
        flow.add(hedge({.after = 5, .max = 3},
                       [token, waits](IAsyncSteps& asi, const std::shared_ptr<int>&, int) {
                           asi.setCancel([token](IAsyncSteps&) {});
                           asi.add([token, waits](IAsyncSteps& inner) {
                               if (waits) return static_cast<void>(inner.waitExternal());
                               inner.error("Busy");
                           });
                       })
                     .with(token)
                     .onError([token](IAsyncSteps& asi, const std::string&) { asi.success(); }));
    };
    Rig rig;
    fill(rig.flow, false);
    CHECK(rig.run() == "ok");
    CHECK(token.use_count() == 1);
    fill(rig.flow, true);
    CHECK(rig.run() == "waiting");
    CHECK(token.use_count() == 1);
    for (const std::int64_t ms : {0, 7, 1000}) {
        AsyncSteps flow(rig.tool);
        steptree::NitroSteps<steptree::MaxRetries<1>> nitro(rig.tool);
        for (IFlow* const each : {static_cast<IFlow*>(&flow), static_cast<IFlow*>(&nitro)}) {
            fill(*each, true);
            each->execute();
        }
        rig.tool.advance(ms);
    }
    CHECK(rig.tool.armedTimers() == 0);
    CHECK(token.use_count() == 1);
}

TEST_CASE("a NitroSteps has room for all attempts of a hedge, or says so at once",
          "[flow][nitro]") {
    using namespace steptree;
    VirtualTool tool;
    NitroSteps<MaxSteps<4>, MaxCapture<8>, MaxLoops<0>, MaxParallels<0>, MaxTimeouts<0>,
               MaxCancels<0>, MaxAwaits<0>, MaxBranches<3>, MaxBranchSteps<1>, MaxRetries<1>>
        flow(tool);
    int attempts = 0;
    const auto times = [&](std::int64_t max) {
        return hedge({.after = 1, .max = max}, [&](IAsyncSteps& asi) {
            ++attempts;
            asi.add(delay(10)).add([](IAsyncSteps& inner) { inner.error("Busy"); });
        });
    };
    for (int i = 0; i < 5; ++i) {  // what was reserved is given back
        flow.add(hedge({.after = 100, .max = 3}, [](IAsyncSteps&) {}));
        CHECK(run(tool, flow) == "ok");
        flow.add(times(3).timeout(5));
        CHECK(run(tool, flow).substr(0, 5) == "error");
    }
    flow.add(times(4));
    attempts = 0;
    CHECK(run(tool, flow) == "error OutOfSteps");
    CHECK(attempts == 0);
}

TEST_CASE("bad options of a hedge say what was expected and what came", "[flow]") {
    CHECK(refused({.after = -1ms}) == "after: expected at least 0 ms, got -1");
    CHECK(refused({.after = kNaN}) == "after: expected at least 0 ms, got no number");
    CHECK(refused({.after = 1, .max = 0}) ==
          "max: expected a whole number from 1 to 2^53 - 1, got 0");
    CHECK(refused({.after = 1, .max = steptree::kUnlimited}).substr(0, 4) == "max:");
    CHECK(refused({.after = 1, .on = {""}}) == "on: expected codes or a function, got ''");
    CHECK(refused({.after = kInfinity}) == "taken");
}
