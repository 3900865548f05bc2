#include "steptree/throttle.hpp"

#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"

using namespace rig;
using steptree::AsyncTool;
using steptree::Throttle;
using steptree::ThrottleAlgorithm;
using steptree::ThrottleOptions;
namespace errors = steptree::errors;
using steptree::detail::Admission;

namespace {

using Strings = std::vector<std::string>;

/// Flows that enter a throttle and write down when.
struct Entrants {
    Throttle& throttle;
    Strings order{};
    std::vector<std::unique_ptr<AsyncSteps>> flows{};

    void enter(VirtualTool& tool, const std::string& name) {
        flows.push_back(std::make_unique<AsyncSteps>(tool));
        flows.back()->sync(throttle, [this, &tool, name](IAsyncSteps&) {
            order.push_back(name + "@" + std::to_string(tool.now()));
        });
        flows.back()->execute();
    }
};

struct TwoTools {
    Throttle throttle{{.max = 1, .period = 10, .maxQueue = 5}};
    VirtualTool a{};
    VirtualTool b{};
    Entrants entrants{throttle};
};

/// Numbers by chance, the same each time.
struct Chance {
    std::uint32_t state;
    int operator()(int n) {
        state = (state * 1103515245U + 12345U) & 0x7fffffffU;
        return static_cast<int>((state >> 8) % static_cast<std::uint32_t>(n));
    }
};

/// When those got in who came at random times, some of whom give up.
std::vector<std::int64_t> entriesOf(const ThrottleOptions& options, std::uint32_t seed) {
    VirtualTool tool;
    Throttle throttle(options);
    Chance chance{seed};
    std::vector<std::int64_t> times;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    for (int i = 0; i < 150; ++i) {
        flows.push_back(std::make_unique<AsyncSteps>(tool));
        AsyncSteps& flow = *flows.back();
        flow.add([&](IAsyncSteps& asi) {
            if (chance(4) == 0) asi.setTimeout(chance(40));
            asi.sync(throttle, [&](IAsyncSteps&) { times.push_back(tool.now()); });
        });
        const int at = chance(3) == 0 ? chance(5) : chance(400);
        tool.deferred(at, [&flow] { flow.execute([](Outcome&) {}); });
    }
    tool.run();
    return times;
}

/// `most` says how many may enter from one entry to another, that many milliseconds later.
template <class Most>
void keeps(ThrottleAlgorithm algorithm, Most most) {
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        ThrottleOptions options{.max = 1 + seed % 5};
        options.period = 1 + seed * 7 % 23;
        options.maxQueue = seed % 4 == 0 ? 0 : 50;
        options.algorithm = algorithm;
        if (algorithm == ThrottleAlgorithm::bucket) options.burst = 1 + seed % 7;
        const std::vector<std::int64_t> times = entriesOf(options, seed);
        REQUIRE(times.size() > 5);
        std::size_t broken = 0;
        for (std::size_t i = 0; i < times.size(); ++i) {
            for (std::size_t j = i; j < times.size(); ++j) {
                const auto time = static_cast<double>(times[j] - times[i]);
                if (static_cast<double>(j - i + 1) > most(options, time)) ++broken;
            }
        }
        INFO("seed " << seed);
        CHECK(broken == 0);
    }
}

double periods(const ThrottleOptions& options, double time) {
    return std::ceil((time + 1) / static_cast<double>(options.period.milliseconds()));
}

}  // namespace

TEST_CASE("an entry at the end of a window stands behind those who wait", "[throttle]") {
    auto [throttle, a, b, entrants] = TwoTools();
    entrants.enter(a, "first");
    entrants.enter(a, "waits");
    a.advance(5);
    b.advance(10);
    entrants.enter(b, "late");
    b.advance(0);
    CHECK(entrants.order == Strings{"first@0"});
    a.advance(5);
    b.advance(0);
    // Let in by the timer of b, whose time is 10; the clock of a is behind.
    CHECK(entrants.order == Strings{"first@0", "waits@5"});
    b.run();
    CHECK(entrants.order == Strings{"first@0", "waits@5", "late@20"});
}

TEST_CASE("a throttle lets in the lines of two tools by their own timers", "[throttle]") {
    auto [throttle, a, b, entrants] = TwoTools();
    entrants.enter(a, "a1");
    entrants.enter(b, "b1");
    a.advance(0);
    b.advance(0);
    CHECK(entrants.order == Strings{"a1@0"});
    entrants.enter(a, "a2");
    a.advance(0);
    b.run();
    CHECK(entrants.order == Strings{"a1@0", "b1@10"});
    a.run();
    CHECK(entrants.order == Strings{"a1@0", "b1@10", "a2@20"});
}

TEST_CASE("a late timer keeps windows where they were", "[throttle]") {
    Admission window(ThrottleAlgorithm::fixed, 1, 10, 1);
    CHECK(window.admit(3));
    window.tick(15);
    CHECK(window.admit(15));
    CHECK(window.delay(15) == 8);
    window.tick(57);
    CHECK(window.delay(57) == 6);
    CHECK(window.admit(57));
    window.tick(63);
    CHECK(window.delay(63) == 10);
}

TEST_CASE("fixed windows never let more than twice max in during any period", "[throttle]") {
    keeps(ThrottleAlgorithm::fixed, [](const ThrottleOptions& options, double time) {
        return 2 * static_cast<double>(options.max) * periods(options, time);
    });
}

TEST_CASE("a sliding window never lets more than max in during any period", "[throttle]") {
    keeps(ThrottleAlgorithm::sliding, [](const ThrottleOptions& options, double time) {
        return static_cast<double>(options.max) * periods(options, time);
    });
}

TEST_CASE("a bucket never lets in more than its rate and burst", "[throttle]") {
    keeps(ThrottleAlgorithm::bucket, [](const ThrottleOptions& options, double time) {
        return static_cast<double>(*options.burst) +
               static_cast<double>(options.max) * time /
                   static_cast<double>(options.period.milliseconds());
    });
}

TEST_CASE("limits of a throttle are checked", "[throttle]") {
    CHECK(codeOf([] { Throttle throttle({.max = 0}); }) == errors::InternalError);
    CHECK(codeOf([] { Throttle throttle({.max = 1, .period = 0}); }) == errors::InternalError);
    CHECK(codeOf([] { Throttle throttle({.max = 1, .maxQueue = -1}); }) == errors::InternalError);
    CHECK(codeOf([] { Throttle throttle(ThrottleOptions{.max = 1, .burst = 0}); }) ==
          errors::InternalError);
    CHECK(codeOf([] { Throttle throttle({.max = 1, .period = std::chrono::microseconds(1)}); }) ==
          "nothing");
}

TEST_CASE("a refusal says when to come again", "[throttle]") {
    VirtualTool tool;
    for (const auto algorithm :
         {ThrottleAlgorithm::fixed, ThrottleAlgorithm::sliding, ThrottleAlgorithm::bucket}) {
        Throttle throttle({.max = 1, .period = 50, .maxQueue = 0, .algorithm = algorithm});
        AsyncSteps flow(tool);
        std::int64_t retryAfter = 0;
        flow.sync(
            throttle, [](IAsyncSteps& asi) { asi.setTimeout(20); }, nullptr);
        AsyncSteps other(tool);
        other.add([](IAsyncSteps& asi) { asi.setTimeout(20); },
                  [](IAsyncSteps& asi, const std::string&) { asi.success(); });
        other.add([&](IAsyncSteps& asi) { asi.sync(throttle, [](IAsyncSteps&) {}); },
                  [&](IAsyncSteps& asi, const std::string& code) {
                      CHECK(code == errors::DefenseRejected);
                      retryAfter = asi.state().lastError()->retryAfter();
                      asi.success();
                  });
        flow.execute([](Outcome&) {});
        CHECK(run(tool, other) == "ok");
        CHECK(retryAfter == 30);
        CHECK(StepError("E").retryAfter() == -1);
    }
}

TEST_CASE("a line that is cancelled has left the throttle when its cancel handler is called",
          "[throttle]") {
    Rig rig;
    Throttle throttle({.max = 1, .period = 10, .maxQueue = 5});
    rig.flow.sync(throttle, [](IAsyncSteps&) {}).add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) { CHECK(rig.tool.armedTimers() == 0); });
        asi.sync(throttle, [](IAsyncSteps&) {});
    });
    rig.flow.execute();
    rig.tool.advance(1);
    CHECK(rig.tool.armedTimers() == 1);
    rig.flow.cancel();
    CHECK_FALSE(rig.flow.running());
}

namespace {

struct Ticking : steptree::Clock {
    std::int64_t time = 1'000'000'000;
    std::int64_t perReading = 0;

    std::int64_t nanoseconds() noexcept override { return time += perReading; }
};

}  // namespace

TEST_CASE("a period that ends while a lock is refused lets it in", "[throttle]") {
    Ticking clock;
    AsyncTool tool({.clock = &clock});
    Throttle throttle({.max = 1, .period = 10, .maxQueue = 5});
    AsyncSteps flow(tool);
    std::string entered;
    flow.sync(throttle, [&](IAsyncSteps&) { entered += "a"; });
    flow.add([&](IAsyncSteps& asi) {
        clock.perReading = 6'000'000;
        asi.sync(throttle, [&](IAsyncSteps&) {
            clock.perReading = 0;
            entered += "b";
        });
    });
    flow.add([&](IAsyncSteps&) { entered += "c"; });
    flow.execute([&](Outcome& outcome) { entered += outcome.code; });
    while (tool.iterate().work) continue;
    CHECK(entered == "abc");
}

TEST_CASE("who follows the first one in a throttle's queue waits as long as that would have",
          "[throttle]") {
    Ticking clock;
    AsyncTool tool({.clock = &clock});
    Throttle throttle({.max = 1, .period = 30'000, .maxQueue = 5});
    AsyncSteps first(tool), second(tool);
    const auto enter = [&](AsyncSteps& flow) {
        flow.sync(throttle, [](IAsyncSteps&) {});
        flow.execute();
        tool.iterate();
    };
    enter(first);
    enter(first);
    clock.time += 10'000'000'000;
    enter(second);
    first.cancel();
    CHECK(tool.iterate().delay == 20'000);
    clock.time += 20'000'000'000;
    while (tool.iterate().work) continue;
    CHECK_FALSE(second.running());
}
