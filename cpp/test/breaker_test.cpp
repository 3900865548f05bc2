#include "steptree/breaker.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "codeof.hpp"
#include "rig.hpp"

using namespace rig;
using steptree::Breaker;
using steptree::BreakerState;
using steptree::ThreadBreaker;
using steptree::detail::CallWindow;
namespace errors = steptree::errors;

namespace {

void fail(IAsyncSteps& asi) {
    asi.error("E", "why");
}
void waitLong(IAsyncSteps& asi) {
    asi.waitExternal();
}

/// What opens by one failure, for 100 ms.
steptree::BreakerOptions quick(steptree::BreakerOn on = {}) {
    return {.minCalls = 1, .openFor = 100, .on = std::move(on), .name = "db"};
}

void breakNow(VirtualTool& tool, Breaker& breaker) {
    AsyncSteps flow(tool);
    flow.sync(breaker, &fail);
    flow.execute([](Outcome&) {});
    tool.advance(0);
}

}  // namespace

TEST_CASE("a bad option of a breaker throws to the caller", "[breaker]") {
    CHECK(codeOf([] { Breaker breaker; }) == "nothing");
    CHECK(codeOf([] { Breaker breaker({.rate = 0}); }) == errors::InternalError);
    CHECK(codeOf([] { Breaker breaker({.rate = 50}); }) == errors::InternalError);
    CHECK(codeOf([] { Breaker breaker({.calls = 1'000'001}); }) == errors::InternalError);
    CHECK(codeOf([] { Breaker breaker({.calls = 5, .period = 5}); }) == errors::InternalError);
    CHECK(codeOf([] { Breaker breaker({.calls = 5, .minCalls = 6}); }) == errors::InternalError);
    CHECK(codeOf([] { Breaker breaker({.period = 0}); }) == errors::InternalError);
    CHECK(codeOf([] { Breaker breaker({.openFor = 0}); }) == errors::InternalError);
    CHECK(codeOf([] { Breaker breaker({.probes = 0}); }) == errors::InternalError);
    CHECK(codeOf([] { Breaker breaker({.maxQueue = -1}); }) == errors::InternalError);
    using namespace std::chrono_literals;
    CHECK(codeOf([] { ThreadBreaker breaker({.period = 10s, .openFor = 5s}); }) == "nothing");
}

TEST_CASE("a refusal of a breaker says its name, and when to come again", "[breaker]") {
    Rig rig;
    Breaker breaker(quick());
    std::string info;
    std::int64_t retryAfter = -1;
    rig.flow.add([&](IAsyncSteps& asi) { asi.sync(breaker, &fail); },
                 [](IAsyncSteps& asi, const std::string&) { asi.success(); });
    rig.flow.add(delay(30));
    rig.flow.add([&](IAsyncSteps& asi) { asi.sync(breaker, &fail); },
                 [&](IAsyncSteps& asi, const std::string&) {
                     info = asi.state().errorInfo();
                     retryAfter = asi.state().lastError()->retryAfter();
                     asi.success();
                 });
    CHECK(rig.run() == "ok");
    CHECK(info == "breaker 'db': it is open");
    CHECK(retryAfter == 70);
    CHECK(breaker.name() == "db");
    CHECK(breaker.waiting() == 0);
}

TEST_CASE("who waits for a probe that fails is refused with the name, and when to come again",
          "[breaker]") {
    VirtualTool tool;
    Breaker breaker(quick());
    breakNow(tool, breaker);
    tool.advance(100);
    AsyncSteps probe(tool), other(tool);
    probe.sync(breaker, [](IAsyncSteps& asi) {
        asi.setTimeout(5);
        asi.waitExternal();
    });
    probe.execute([](Outcome&) {});
    std::string info;
    std::int64_t retryAfter = -1;
    other.add([&](IAsyncSteps& asi) { asi.sync(breaker, &waitLong); },
              [&](IAsyncSteps& asi, const std::string&) {
                  info = asi.state().errorInfo();
                  retryAfter = asi.state().lastError()->retryAfter();
                  asi.success();
              });
    other.execute();
    tool.advance(4);
    CHECK(breaker.waiting() == 1);
    CHECK(breaker.active() == 1);
    tool.advance(1);
    CHECK(breaker.waiting() == 0);
    CHECK(breaker.active() == 0);
    CHECK(info == "breaker 'db': it is open");
    CHECK(retryAfter == 100);
}

TEST_CASE("who waits for a probe leaves the queue with its flow, also after its tool",
          "[breaker][lifetime]") {
    Breaker breaker(quick());
    auto tool = std::make_unique<VirtualTool>();
    breakNow(*tool, breaker);
    tool->advance(100);
    std::optional<AsyncSteps> probe(*tool), one(*tool), two(*tool), three(*tool);
    for (AsyncSteps* flow : {&*probe, &*one, &*two, &*three}) {
        flow->sync(breaker, &waitLong);
        flow->execute();
    }
    tool->run();
    CHECK(breaker.waiting() == 3);
    one.reset();
    CHECK(breaker.waiting() == 2);
    tool.reset();
    two.reset();
    CHECK(breaker.waiting() == 1);
    probe.reset();
    CHECK(breaker.waiting() == 0);
    three.reset();
    CHECK(breaker.active() == 0);
}

TEST_CASE("on gets the code, and what was thrown", "[breaker]") {
    std::vector<std::string> asked;
    Breaker both(quick([&asked](const std::string& code, const StepError& error) {
        asked.push_back(code + " " + error.info());
        return false;
    }));
    Breaker code(quick([&asked](const std::string& code) {
        asked.push_back(code);
        return code != "E";
    }));
    for (Breaker* breaker : {&both, &code}) {
        Rig rig;
        rig.flow.sync(*breaker, &fail);
        CHECK(rig.run() == "error E");
        CHECK(breaker->state() == BreakerState::closed);
    }
    Rig rig;
    rig.flow.sync(code, [](IAsyncSteps&) { throw std::runtime_error("other"); });
    CHECK(rig.run() == "error InternalError");
    CHECK(code.state() == BreakerState::open);
    CHECK(asked == std::vector<std::string>{"E why", "E", "InternalError"});
}

TEST_CASE("on may cancel its own flow, and others", "[breaker]") {
    Rig rig;
    AsyncSteps other(rig.tool);
    OutcomeKind told = OutcomeKind::ok;
    other.add(&waitLong);
    other.execute([&told](Outcome& outcome) { told = outcome.kind; });
    bool handled = false;
    Breaker breaker(quick([&](const std::string&) {
        other.cancel();
        rig.flow.cancel("enough");
        return true;
    }));
    rig.flow.add([&](IAsyncSteps& asi) { asi.sync(breaker, &fail); },
                 [&handled](IAsyncSteps&, const std::string&) { handled = true; });
    CHECK(rig.run() == "cancelled enough");
    CHECK(told == OutcomeKind::cancelled);
    CHECK_FALSE(handled);
    CHECK(breaker.state() == BreakerState::open);
    CHECK(breaker.active() == 0);
}

TEST_CASE("half-open begins by the clock of whoever locks, and from outside of who has opened it",
          "[breaker]") {
    VirtualTool a, b;
    Breaker breaker({.minCalls = 1, .openFor = 10});
    int entered = 0;
    const auto lock = [&](VirtualTool& tool, auto body) {
        AsyncSteps flow(tool);
        flow.sync(breaker, body);
        flow.execute([](Outcome&) {});
        tool.advance(0);
    };
    const auto enter = [&entered](IAsyncSteps&) { ++entered; };
    a.advance(5);
    lock(a, &fail);
    b.advance(14);
    lock(b, enter);
    CHECK(entered == 0);
    b.advance(1);
    CHECK(breaker.state() == BreakerState::open);
    lock(b, enter);
    CHECK(entered == 1);
    CHECK(breaker.state() == BreakerState::closed);
}

TEST_CASE("a breaker whose tool has gone stays as it was seen last", "[breaker][lifetime]") {
    Breaker breaker({.minCalls = 1, .openFor = 10});
    {
        Rig rig;
        rig.flow.sync(breaker, &fail);
        CHECK(rig.run() == "error E");
        rig.tool.advance(9);
        CHECK(breaker.state() == BreakerState::open);
        rig.tool.advance(1);
    }
    CHECK(breaker.state() == BreakerState::open);
    Rig rig;
    rig.tool.advance(10);
    rig.flow.sync(breaker, [](IAsyncSteps&) {});
    CHECK(rig.run() == "ok");
    CHECK(breaker.state() == BreakerState::closed);
}

TEST_CASE("who is in a breaker leaves it with its flow, also after its tool",
          "[breaker][lifetime]") {
    int asked = 0;
    Breaker breaker(quick([&asked](const std::string&) { return ++asked > 0; }));
    auto tool = std::make_unique<VirtualTool>();
    std::optional<AsyncSteps> one(*tool), other(*tool);
    for (AsyncSteps* flow : {&*one, &*other}) {
        flow->sync(breaker, &waitLong);
        flow->execute();
    }
    tool->run();
    CHECK(breaker.active() == 2);
    one.reset();
    CHECK(breaker.active() == 1);
    tool.reset();
    other.reset();
    CHECK(breaker.active() == 0);
    CHECK(asked == 0);
    CHECK(breaker.state() == BreakerState::closed);
}

TEST_CASE("windows count what lists of all calls have", "[breaker]") {
    struct Call {
        std::int64_t slice;
        bool failed;
    };
    std::uint32_t seed = 1;
    const auto chance = [&seed](std::uint32_t below) {
        seed = seed * 1'664'525 + 1'013'904'223;
        return static_cast<std::int64_t>((seed >> 8) % below);
    };
    for (int round = 0; round < 100; ++round) {
        const bool byTime = round % 2 == 0;
        const std::int64_t length = 1 + chance(40);
        const std::int64_t slice = (length + 9) / 10;
        CallWindow window = byTime ? CallWindow::ofTime(length) : CallWindow::ofCalls(length);
        std::vector<Call> all;
        std::int64_t now = chance(3) * 1'000'000;
        for (int i = 0; i < 300; ++i) {
            if (chance(60) == 0) {
                window.clear();
                all.clear();
            }
            now += chance(20) == 0 ? chance(200) : chance(4);
            all.push_back({now / slice, chance(2) == 0});
            window.count(all.back().failed, now);
            std::int64_t calls = 0;
            std::int64_t failures = 0;
            for (std::size_t k = 0; k < all.size(); ++k) {
                const bool isIn = byTime ? now / slice - all[k].slice < (length + slice - 1) / slice
                                         : static_cast<std::int64_t>(all.size() - k) <= length;
                if (isIn) ++calls;
                if (isIn && all[k].failed) ++failures;
            }
            REQUIRE(window.calls() == calls);
            REQUIRE(window.failures() == failures);
        }
    }
}
