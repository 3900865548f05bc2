#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "codeof.hpp"
#include "onthreadof.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/future.hpp"
#include "steptree/loop.hpp"
#include "steptree/metrics.hpp"
#include "steptree/run.hpp"

using namespace steptree;
using rig::codeOf;
using rig::onThreadOf;

namespace {

Metrics metricsOf(Tool& tool) {
    return onThreadOf(tool, [&] { return Metrics(tool); });
}

MetricsRead readOf(Tool& tool, Metrics& metrics) {
    return onThreadOf(tool, [&] { return metrics.read(); });
}

}  // namespace

TEST_CASE("figures are their tool's thread's, until that has gone", "[metrics][thread]") {
    auto tool = std::make_unique<AsyncTool>();
    CHECK(codeOf([&] { const Metrics none(*tool); }) == "InternalError");
    Metrics metrics = metricsOf(*tool);
    run(*tool, step([](IAsyncSteps&) {})).get();
    CHECK(codeOf([&] { metrics.read(); }) == "InternalError");
    const MetricsRead read = readOf(*tool, metrics);
    CHECK(read.begun == 1);
    CHECK(read.ended.ok == 1);
    CHECK(read.alive == 0);
    CHECK(read.lag.count == 1);
    CHECK(read.lag.max >= read.turn.max);
    tool->start(step([](IAsyncSteps& asi) { asi.waitExternal(); }));
    CHECK(readOf(*tool, metrics).alive == 1);
    tool.reset();
    CHECK_FALSE(metrics.valid());
    CHECK(metrics.read().begun == 2);
    CHECK(metrics.read().alive == 0);
}

TEST_CASE("another thread ends figures while flows run", "[metrics][thread]") {
    AsyncTool tool;
    std::atomic<bool> over{false};
    const auto busy = loop([&over](IAsyncSteps& asi) {
        if (over) asi.breakLoop();
        asi.add(step([](IAsyncSteps& inner) { inner.relinquish(); }));
    });
    std::vector<Future<void>> ends;
    for (int i = 0; i < 4; ++i) ends.push_back(run(tool, busy));
    int changed = 0;
    for (int i = 0; i < 50; ++i) {
        std::optional<Metrics> metrics(metricsOf(tool));
        std::optional<Metrics> other(metricsOf(tool));
        while (readOf(tool, *metrics).turns < 50) std::this_thread::yield();
        metrics->cancel();
        CHECK_FALSE(metrics->valid());
        const std::uint64_t turns = readOf(tool, *metrics).turns;
        other.reset();
        if (readOf(tool, *metrics).turns != turns) ++changed;
        CHECK(readOf(tool, *metrics).alive == 4);
        metrics.reset();
    }
    over = true;
    for (const Future<void>& end : ends) end.get();
    CHECK(changed == 0);
}
