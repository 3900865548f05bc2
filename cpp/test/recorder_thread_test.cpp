#include <atomic>
#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "codeof.hpp"
#include "onthreadof.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/future.hpp"
#include "steptree/loop.hpp"
#include "steptree/recorder.hpp"
#include "steptree/run.hpp"

using namespace steptree;
using rig::codeOf;
using rig::onThreadOf;

namespace {

FlightRecorder recorderOf(Tool& tool) {
    return onThreadOf(tool, [&] { return FlightRecorder(tool, {.events = 50, .bodies = true}); });
}

auto busy(const std::atomic<bool>& over) {
    return loop([&over](IAsyncSteps& asi) {
        if (over) asi.breakLoop();
        asi.add(step([](IAsyncSteps& inner) { inner.relinquish(); }).named("inner"));
    });
}

}  // namespace

TEST_CASE("a recorder is its tool's thread's, until that has gone", "[recorder][thread]") {
    auto tool = std::make_unique<AsyncTool>();
    CHECK(codeOf([&] { const FlightRecorder none(*tool); }) == "InternalError");
    const FlightRecorder recorder = recorderOf(*tool);
    run(*tool, step([](IAsyncSteps&) {})).get();
    CHECK(codeOf([&] { recorder.events(); }) == "InternalError");
    CHECK(codeOf([&] { recorder.text(); }) == "InternalError");
    CHECK(codeOf([&] { recorder.trace(); }) == "InternalError");
    const std::string text = onThreadOf(*tool, [&] { return recorder.text(); });
    CHECK(text.find("ended ok") != std::string::npos);
    tool.reset();
    CHECK_FALSE(recorder.valid());
    CHECK(recorder.text() == text);
}

TEST_CASE("another thread ends a recorder while flows run", "[recorder][thread]") {
    AsyncTool tool;
    std::atomic<bool> over{false};
    std::vector<Future<void>> ends;
    for (int i = 0; i < 4; ++i) ends.push_back(run(tool, busy(over)));
    int changed = 0;
    int unlike = 0;
    for (int i = 0; i < 50; ++i) {
        std::optional<FlightRecorder> recorder(recorderOf(tool));
        std::optional<FlightRecorder> other(recorderOf(tool));
        while (onThreadOf(tool, [&] { return recorder->events().size(); }) < 50)
            std::this_thread::yield();
        recorder->cancel();
        CHECK_FALSE(recorder->valid());
        const std::string text = onThreadOf(tool, [&] { return recorder->text(); });
        if (text.find("/#") == std::string::npos || text.find("/inner") == std::string::npos)
            ++unlike;
        other.reset();
        if (onThreadOf(tool, [&] { return recorder->text(); }) != text) ++changed;
        recorder.reset();
    }
    over = true;
    for (const Future<void>& end : ends) end.get();
    CHECK(changed == 0);
    CHECK(unlike == 0);
}
