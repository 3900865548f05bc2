#include "steptree/retry.hpp"

#include <chrono>
#include <functional>
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
using steptree::RetryBudget;
using steptree::RetryDecision;
using steptree::RetryOn;
using steptree::RetryOptions;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// What the message of a refused retry says.
std::string refused(RetryOptions options) {
    Rig rig;
    try {
        rig.flow.add(retry(std::move(options), [](IAsyncSteps&) {}));
    } catch (const StepError& error) {
        CHECK(error.code() == "InternalError");
        CHECK(rig.run() == "ok");
        return error.info();
    }
    return "taken";
}

/// How many attempts there are of a flow whose body always fails with the code.
int attemptsOf(RetryOptions options, const std::string& code) {
    Rig rig;
    int attempts = 0;
    rig.flow.add(retry(std::move(options), [&](IAsyncSteps& asi) {
        ++attempts;
        asi.error(code);
    }));
    CHECK(rig.run() == "error " + code);
    return attempts;
}

}  // namespace

TEST_CASE("waits of a retry take numbers and chrono durations", "[flow]") {
    Rig rig;
    std::vector<std::int64_t> times;
    rig.flow.add(
        retry({.max = 4, .backoff = {.base = 1500us, .factor = 10, .cap = 0.1s, .jitter = 0}},
              [&](IAsyncSteps& asi) {
                  times.push_back(rig.tool.now());
                  asi.error("Busy");
              }));
    CHECK(rig.run() == "error Busy");
    CHECK(times == std::vector<std::int64_t>{0, 2, 17, 117});
}

TEST_CASE("a function of the code says after which errors to try again", "[flow]") {
    const auto isBusy = [](const std::string& code) { return code == "Busy"; };
    const steptree::Backoff quick{.base = 1};
    CHECK(attemptsOf({.max = 3, .backoff = quick, .on = isBusy}, "Busy") == 3);
    CHECK(attemptsOf({.max = 3, .backoff = quick, .on = isBusy}, "Gone") == 1);
    CHECK(attemptsOf({.max = 3, .backoff = quick, .on = {"Gone", "Busy"}}, "Busy") == 3);
    CHECK(attemptsOf({.max = 3, .backoff = quick}, "InternalError") == 1);
}

TEST_CASE("who is asked gets the error, and may say after which time to try again", "[flow]") {
    Rig rig;
    std::vector<std::int64_t> times;
    std::string log;
    const auto busy = std::make_exception_ptr(std::runtime_error("busy"));
    const auto on = [&](const std::string& code, const StepError& error) -> RetryDecision {
        log += code + ' ' + error.info() + ' ' + error.path() + ';';
        if (error.cause() == busy) return 20ms;
        if (code == "Soon") return 1500us;
        return code == "Again";
    };
    rig.flow.add(retry({.max = 9, .backoff = {.base = 1, .jitter = 0}, .on = on},
                       [&](IAsyncSteps& asi, std::int64_t attempt) {
                           times.push_back(rig.tool.now());
                           if (attempt == 1) std::rethrow_exception(busy);
                           asi.error(attempt == 2 ? "Soon" : attempt == 3 ? "Again" : "Enough");
                       }));
    CHECK(rig.run() == "error Enough");
    CHECK(times == std::vector<std::int64_t>{0, 20, 22, 26});
    CHECK(log == "InternalError busy 0/#0;Soon  0/#1;Again  0/#2;Enough  0/#3;");
}

TEST_CASE("a time that is none is an InternalError in the place of the attempt's", "[flow]") {
    for (const double bad : {-1.0, kNaN, std::numeric_limits<double>::infinity()}) {
        Rig rig;
        std::string seen;
        const auto on = [bad](const std::string&) {
            return std::chrono::duration<double, std::milli>(bad);
        };
        rig.flow.add(retry({.max = 3, .on = on}, [](IAsyncSteps& asi) { asi.error("Busy"); }),
                     [&](IAsyncSteps& asi, const std::string& code) {
                         seen = code + " of " + codeOf([&] {
                                    std::rethrow_exception(asi.state().lastError()->cause());
                                });
                         asi.success();
                     });
        CHECK(rig.run() == "ok");
        CHECK(seen == "InternalError of Busy");
    }
}

TEST_CASE("a decision is a bool or a time, never a number", "[flow]") {
    const auto times = [](const std::string&) { return 5; };
    const auto counts = [](const std::string&) { return std::size_t{1}; };
    const auto points = [](const std::string&) { return "yes"; };
    CHECK_FALSE(std::is_convertible_v<decltype(times), RetryOn>);
    CHECK_FALSE(std::is_convertible_v<decltype(counts), RetryOn>);
    CHECK_FALSE(std::is_convertible_v<decltype(points), RetryOn>);
    const auto says = [](steptree::ErrorCode) { return true; };
    const auto both = [](const auto&...) { return 1s; };
    CHECK(std::is_convertible_v<decltype(says), RetryOn>);
    CHECK(std::is_convertible_v<decltype(both), RetryOn>);
    CHECK(RetryDecision(0ms).again());
    CHECK(RetryDecision(0ms).hasWait());
    CHECK_FALSE(RetryDecision(true).hasWait());
    CHECK_FALSE(RetryDecision(false).again());
    CHECK(RetryOn(std::function<bool(const std::string&)>()).isDefault() == false);
}

TEST_CASE("errors of attempts that are not ours are found in also", "[flow]") {
    Rig rig;
    std::string chain;
    rig.flow.add(retry({.max = 4, .on = [](const std::string&) { return 0ms; }},
                       [](IAsyncSteps& asi, std::int64_t attempt) {
                           if (attempt == 2) asi.error("E2");
                           throw std::runtime_error(std::to_string(attempt));
                       }),
                 [&](IAsyncSteps& asi, const std::string&) {
                     const StepError last = *asi.state().lastError();
                     const StepError third = last.also()[0];
                     const StepError second = third.also()[0];
                     for (const StepError& error : {last, third, second}) {
                         chain += error.info() + error.code() + ' ' + error.path() + ';';
                         CHECK(error.also().size() == (error.code() == "E2" ? 0 : 1));
                     }
                     try {
                         std::rethrow_exception(second.cause());
                     } catch (const StepError& first) {
                         chain += first.info() + ' ' + first.path();
                         CHECK_THROWS_AS(std::rethrow_exception(first.cause()), std::runtime_error);
                     }
                     CHECK_THROWS_AS(std::rethrow_exception(asi.state().lastException()),
                                     std::runtime_error);
                     asi.success();
                 });
    CHECK(rig.run() == "ok");
    CHECK(chain == "4InternalError 0/#3;3InternalError 0/#2;E2 0/#1;1 0/#0");
}

TEST_CASE("the one exception that all attempts throw has nothing of itself in also", "[flow]") {
    const auto same = std::make_exception_ptr(std::runtime_error("same"));
    const StepError mine("E");
    for (const bool foreign : {true, false}) {
        Rig rig;
        std::size_t also = 9;
        rig.flow.add(retry({.max = 3, .on = [](const std::string&) { return 0ms; }},
                           [&](IAsyncSteps&) {
                               if (foreign) std::rethrow_exception(same);
                               throw mine;
                           }),
                     [&](IAsyncSteps& asi, const std::string&) {
                         also = asi.state().lastError()->also().size();
                         asi.success();
                     });
        CHECK(rig.run() == "ok");
        CHECK(also == 0);
    }
}

TEST_CASE("options of a retry are made once for many", "[flow]") {
    const RetryOptions policy{.max = 2, .backoff = {.base = 1}, .on = {"Busy"}};
    for (int i = 0; i < 2; ++i) CHECK(attemptsOf(policy, "Busy") == 2);
    CHECK(attemptsOf(policy, "Gone") == 1);
}

TEST_CASE("an exception out of the function that is asked takes the error's place", "[flow]") {
    Rig rig;
    std::string seen;
    rig.flow.add(
        retry(
            {.max = 3, .on = [](const std::string&) -> bool { throw std::runtime_error("asked"); }},
            [](IAsyncSteps& asi) { asi.error("Busy"); }),
        [&](IAsyncSteps& asi, const std::string& code) {
            seen = code + " " + asi.state().errorInfo();
            asi.success();
        });
    CHECK(rig.run() == "ok");
    CHECK(seen == "InternalError asked");
}

TEST_CASE("the function that is asked may cancel the flow", "[flow]") {
    Rig rig;
    int attempts = 0;
    rig.flow.add(retry({.max = 3,
                        .on =
                            [&](const std::string&) {
                                rig.flow.cancel("enough");
                                return true;
                            }},
                       [&](IAsyncSteps& asi) {
                           ++attempts;
                           asi.error("Busy");
                       }));
    CHECK(rig.run() == "cancelled enough");
    CHECK(attempts == 1);
}

TEST_CASE("the handler isn't called if the function that is asked has cancelled the flow",
          "[flow]") {
    Rig rig;
    bool handled = false;
    rig.flow.add(retry({.max = 3,
                        .on =
                            [&](const std::string&) {
                                rig.flow.cancel("enough");
                                return false;
                            }},
                       [](IAsyncSteps& asi) { asi.error("Busy"); }),
                 [&](IAsyncSteps&, steptree::ErrorCode) { handled = true; });
    CHECK(rig.run() == "cancelled enough");
    CHECK_FALSE(handled);
}

TEST_CASE("errors of attempts are a chain of causes", "[flow]") {
    Rig rig;
    std::string chain;
    rig.flow.add(retry({.max = 3, .backoff = {.base = 1}},
                       [](IAsyncSteps& asi, std::int64_t attempt) {
                           asi.error("E" + std::to_string(attempt));
                       }),
                 [&](IAsyncSteps& asi, const std::string&) {
                     std::exception_ptr at = asi.state().lastException();
                     while (at != nullptr) {
                         try {
                             std::rethrow_exception(at);
                         } catch (const StepError& error) {
                             chain += error.code() + " " + error.path() + ";";
                             at = error.cause();
                         }
                     }
                     asi.success();
                 });
    CHECK(rig.run() == "ok");
    CHECK(chain == "E3 0/#2;E2 0/#1;E1 0/#0;");
}

TEST_CASE("what a retry owns is destroyed however it ends", "[flow]") {
    const auto token = std::make_shared<int>(0);
    const auto fill = [&](IFlow& flow, bool waits) {
        flow.add(retry({.max = 2,
                        .backoff = {.base = 5},
                        .on = [token](const std::string&) { return true; }},
                       [token, waits](IAsyncSteps& asi) {
                           asi.add([token, waits](IAsyncSteps& inner) {
                               if (waits) return static_cast<void>(inner.waitExternal());
                               inner.error("Busy");
                           });
                       }),
                 [token](IAsyncSteps& asi, const std::string&) { asi.success(); });
    };
    Rig rig;
    fill(rig.flow, false);
    CHECK(rig.run() == "ok");
    CHECK(token.use_count() == 1);
    fill(rig.flow, true);
    CHECK(rig.run() == "waiting");
    CHECK(token.use_count() == 1);
    fill(rig.flow, true);
    rig.flow.cancel();
    CHECK(token.use_count() == 1);
    for (const std::int64_t ms : {0, 1, 1000}) {
        steptree::NitroSteps<steptree::MaxRetries<1>> nitro(rig.tool);
        fill(nitro, false);
        nitro.execute();
        rig.tool.advance(ms);
    }
    CHECK(token.use_count() == 1);
}

TEST_CASE("a NitroSteps has room for its retries", "[flow][nitro]") {
    using namespace steptree;
    VirtualTool tool;
    NitroSteps<MaxSteps<2>, MaxCapture<8>, MaxLoops<0>, MaxParallels<0>, MaxTimeouts<0>,
               MaxCancels<0>, MaxAwaits<0>, MaxBranches<0>, MaxRetries<1>>
        flow(tool);
    int attempts = 0;
    flow.add(retry({.max = 50, .backoff = {.base = 1, .factor = 1}}, [&](IAsyncSteps& asi) {
        ++attempts;
        asi.add([](IAsyncSteps& inner) { inner.error("Busy"); });
    }));
    CHECK(run(tool, flow) == "error Busy");
    CHECK(attempts == 50);
}

TEST_CASE("bad options of a retry say what was expected and what came", "[flow]") {
    CHECK(refused({.max = 0}) ==
          "max: expected a whole number from 1 to 2^53 - 1, or kUnlimited, got 0");
    CHECK(refused({.max = 1, .backoff = {.base = -1ms}}) ==
          "base: expected a finite number, 0 or more, got -1");
    CHECK(refused({.max = 1, .backoff = {.factor = 0.5}}) ==
          "factor: expected a finite number, 1 or more, got 0.5");
    CHECK(refused({.max = 1, .backoff = {.jitter = kNaN}}) ==
          "jitter: expected a number from 0 to 1, got nan");
    CHECK(refused({.max = 1, .on = {""}}) == "on: expected codes or a function, got ''");
    CHECK(codeOf([] { RetryBudget({.capacity = 0, .ratio = 1}); }) == "InternalError");
    CHECK(codeOf([] { RetryBudget({.capacity = 1, .ratio = 2}); }) == "InternalError");
    CHECK(codeOf([] { RetryBudget({.capacity = 1, .ratio = kNaN}); }) == "InternalError");
}
