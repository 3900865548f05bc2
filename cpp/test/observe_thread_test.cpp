#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "codeof.hpp"
#include "onthreadof.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/delay.hpp"
#include "steptree/future.hpp"
#include "steptree/loop.hpp"
#include "steptree/observe.hpp"
#include "steptree/run.hpp"
#include "steptree/virtualtool.hpp"

using namespace steptree;
using rig::codeOf;
using rig::onThreadOf;

namespace {

/// Runs until it's over, a step and a turn a round.
auto busy(const std::atomic<bool>& over) {
    return loop([&over](IAsyncSteps& asi) {
        if (over) asi.breakLoop();
        asi.add([](IAsyncSteps& inner) { inner.relinquish(); });
    });
}

struct Seen {
    std::atomic<int> calls{0};
    std::thread::id destroyed{};
};

/// What an observer holds.
class Note {
  public:
    explicit Note(std::shared_ptr<Seen> seen) : seen_(std::move(seen)) {}
    Note(Note&& other) noexcept = default;
    ~Note() {
        if (seen_ != nullptr) seen_->destroyed = std::this_thread::get_id();
    }
    void operator()(const FlowEvent& event) const {
        static_cast<void>(event.path());
        ++seen_->calls;
    }

  private:
    std::shared_ptr<Seen> seen_;
};

}  // namespace

TEST_CASE("another thread ends an observation while flows run", "[observe][thread]") {
    constexpr int kTimes = 100;
    AsyncTool tool;
    std::atomic<bool> over{false};
    std::vector<Future<void>> ends;
    for (int i = 0; i < 4; ++i) ends.push_back(run(tool, busy(over)));
    const auto thread = onThreadOf(tool, [] { return std::this_thread::get_id(); });
    int late = 0;
    int astray = 0;
    for (int i = 0; i < kTimes; ++i) {
        const auto seen = std::make_shared<Seen>();
        auto watching =
            onThreadOf(tool, [&] { return tool.observe(Note(seen), {.bodies = i % 2 == 0}); });
        while (seen->calls < i % 8) std::this_thread::yield();
        if (i % 3 == 0) {
            watching.cancel();
            CHECK_FALSE(watching.valid());
            watching.cancel();
        } else {
            const Observation ending = std::move(watching);
        }
        const auto called = onThreadOf(tool, [&] { return seen->calls.load(); });
        const auto other = onThreadOf(tool, [&] { return tool.observe([](const FlowEvent&) {}); });
        if (onThreadOf(tool, [&] { return seen->calls.load(); }) != called) ++late;
        if (onThreadOf(tool, [&] { return seen->destroyed; }) != thread) ++astray;
    }
    over = true;
    for (const Future<void>& end : ends) end.get();
    CHECK(late == 0);
    CHECK(astray == 0);
}

TEST_CASE("an observation and its tool end at the same time", "[observe][thread]") {
    for (int i = 0; i < 50; ++i) {
        auto tool = std::make_unique<AsyncTool>();
        std::atomic<bool> over{false};
        tool->start(busy(over), {.done = [](Outcome&) {}});
        std::vector<Observation> watching;
        for (int at = 0; at < 3; ++at) {
            watching.push_back(
                onThreadOf(*tool, [&] { return tool->observe(Note(std::make_shared<Seen>())); }));
        }
        std::latch both(2);
        std::thread other([&] {
            both.arrive_and_wait();
            for (Observation& each : watching) each.cancel();
        });
        both.arrive_and_wait();
        tool.reset();
        other.join();
        for (const Observation& each : watching) CHECK_FALSE(each.valid());
    }
}

TEST_CASE("who observes when another thread has ended the last observation is told anew",
          "[observe][thread]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    flow.add([](IAsyncSteps& asi) { asi.add(delay(1)); });
    Observation first = tool.observe([](const FlowEvent&) {});
    flow.execute();
    tool.advance(0);
    std::thread([&] { first.cancel(); }).join();
    std::vector<std::string> lines;
    std::uint64_t sequence = 0;
    const Observation second = tool.observe([&](const FlowEvent& event) {
        CHECK(event.sequence() == ++sequence);
        lines.push_back(std::string(event.what()) + event.path());
    });
    tool.run();
    CHECK(lines == std::vector<std::string>{"opened0", "opened0/0", "turn0/0", "closed0/0",
                                            "closed0", "ended"});
}

TEST_CASE("only the tool's thread observes", "[observe][thread]") {
    AsyncTool tool;
    CHECK(codeOf([&] { static_cast<void>(tool.observe([](const FlowEvent&) {})); }) ==
          "InternalError");
}
