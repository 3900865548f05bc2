#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "allocations.hpp"
#include "catch.hpp"
#include "child.hpp"
#include "rig.hpp"

using namespace rig;
using namespace child;

namespace {

void fail(steptree::Options options) {
    VirtualTool tool;
    AsyncSteps flow(tool, std::move(options));
    flow.add(
        [](IAsyncSteps& asi) { asi.add([](IAsyncSteps& inner) { inner.error("Lost", "why"); }); });
    flow.execute();
    tool.run();
}

void failInCancel(steptree::Options options) {
    VirtualTool tool;
    AsyncSteps flow(tool, std::move(options));
    flow.add([](IAsyncSteps& asi) {
        asi.setCancel([](IAsyncSteps&) { throw std::runtime_error("from a cancel handler"); });
    });
    flow.execute();
    tool.run();
    flow.cancel();
}

}  // namespace

TEST_CASE("an unhandled error without a hook terminates the process", "[unhandled]") {
    const Ended ended = inChild([] { fail({}); });
    CHECK(ended.aborted);
    CHECK(has(ended, "Lost"));
    CHECK(has(ended, "why"));
    CHECK(has(ended, "0/0"));
    CHECK_FALSE(has(ended, "terminate called"));
}

TEST_CASE("a report without a hook is printed", "[unhandled]") {
    const Ended ended = inChild([] { failInCancel({}); });
    CHECK_FALSE(ended.aborted);
    CHECK(has(ended, "InternalError"));
    CHECK(has(ended, "from a cancel handler"));
}

TEST_CASE("a hook that throws terminates the process", "[unhandled]") {
    const auto throws = [](const std::string&, const std::string&, std::exception_ptr,
                           const std::string&) { throw std::runtime_error("hook"); };
    CHECK(inChild([&] {
              steptree::Options options;
              options.unhandled = throws;
              fail(std::move(options));
          }).aborted);
    CHECK(inChild([&] {
              steptree::Options options;
              options.report = throws;
              failInCancel(std::move(options));
          }).aborted);
}

TEST_CASE("an unhandled error whose tool goes before it is told is printed", "[unhandled]") {
    const auto lose = [](bool atOnce) {
        auto tool = std::make_unique<VirtualTool>();
        VirtualTool& runs = *tool;
        AsyncSteps flow(*tool);
        flow.add([&](IAsyncSteps& asi) {
            if (atOnce) {
                tool.reset();
            } else {
                tool->immediate([&tool] { tool.reset(); });
            }
            asi.error("Lost", "why");
        });
        flow.execute();
        runs.run();
    };
    for (const bool atOnce : {true, false}) {
        const Ended ended = inChild([&] { lose(atOnce); });
        CHECK_FALSE(ended.aborted);
        CHECK(has(ended, "unhandled error, its tool is gone: Lost: why at 0"));
    }
}

TEST_CASE("a second unhandled error that finds no memory to be told by terminates the process",
          "[unhandled]") {
    const Ended ended = inChild([] {
        setenv("STEPTREE_MEMPOOL", "off", 1);  // blocks of other flows would do
        VirtualTool tool;
        AsyncSteps one(tool);
        AsyncSteps other(tool);
        for (AsyncSteps* flow : {&one, &other}) {
            flow->add([](IAsyncSteps& asi) { asi.error("Lost"); });
            flow->execute();
        }
        const allocations::Failing failing(0, SIZE_MAX);
        tool.run();
    });
    CHECK(ended.aborted);
    CHECK(has(ended, "unhandled error, told without memory"));
}
