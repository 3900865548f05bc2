#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/virtualtool.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::IAsyncSteps;
using steptree::VirtualTool;

TEST_CASE("a tool whose thread has ended doesn't hold up who destroys its flows",
          "[asynctool][thread]") {
    auto token = std::make_shared<int>(0);
    int cancelled = 0;
    AsyncTool tool{AsyncTool::Driven{}};
    {
        AsyncSteps flow(tool);
        flow.add(
            [&, token](IAsyncSteps& asi) { asi.setCancel([&](IAsyncSteps&) { ++cancelled; }); });
        flow.execute();
        std::thread([&] {
            for (int i = 0; i < 3; ++i) tool.iterate();
        }).join();
        CHECK(flow.running());
    }
    CHECK(cancelled == 1);
    CHECK(token.use_count() == 1);
}

TEST_CASE("a tool that was made on a thread that has ended goes on elsewhere",
          "[virtualtool][thread]") {
    std::unique_ptr<VirtualTool> tool;
    std::unique_ptr<AsyncSteps> flow;
    int ran = 0;
    std::thread([&] {
        tool = std::make_unique<VirtualTool>();
        flow = std::make_unique<AsyncSteps>(*tool);
        flow->add([](IAsyncSteps& asi) { asi.waitExternal(); });
        flow->execute();
    }).join();
    flow->cancel();
    CHECK_FALSE(flow->running());
    flow->add([&ran](IAsyncSteps&) { ++ran; });
    flow->execute();
    tool->run();
    CHECK(ran == 1);
}

TEST_CASE("a tool with a thread of its own belongs to nobody else, whoever has made it",
          "[asynctool][thread]") {
    std::unique_ptr<AsyncTool> tool;
    std::thread([&tool] { tool = std::make_unique<AsyncTool>(); }).join();
    std::promise<void> waits;
    std::thread::id cancelledOn;
    AsyncSteps flow(*tool);
    flow.add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) { cancelledOn = std::this_thread::get_id(); });
        waits.set_value();
    });
    flow.execute();
    waits.get_future().wait();
    flow.cancel();
    CHECK(cancelledOn != std::thread::id());
    CHECK(cancelledOn != std::this_thread::get_id());
}

TEST_CASE("a tool that a thread has inherited is its own as long as it lives",
          "[asynctool][thread]") {
    AsyncTool tool{AsyncTool::Driven{}};
    std::thread([&tool] { tool.iterate(); }).join();
    std::thread::id cancelledOn;
    AsyncSteps first(tool), second(tool);
    for (AsyncSteps* flow : {&first, &second}) {
        flow->add([&](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) { cancelledOn = std::this_thread::get_id(); });
        });
        flow->execute();
    }
    std::thread([&tool] { tool.iterate(); }).join();
    first.cancel();
    CHECK(cancelledOn == std::this_thread::get_id());
    std::atomic<bool> done{false};
    std::thread other([&] {
        second.cancel();
        done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_FALSE(done);
    while (!done) tool.iterate();
    other.join();
    CHECK(cancelledOn == std::this_thread::get_id());
}

namespace {

/// Drives a tool when its thread is over.
struct Last {
    AsyncTool* tool = nullptr;
    ~Last() {
        if (tool != nullptr) tool->iterate();
    }
};

}  // namespace

TEST_CASE("a tool may be driven by what its thread leaves behind", "[asynctool][thread]") {
    AsyncTool tool{AsyncTool::Driven{}};
    int ran = 0;
    std::thread([&] {
        static thread_local Last last;
        last.tool = &tool;
        AsyncTool{AsyncTool::Driven{}}.iterate();  // what tools know of the thread goes before it
        tool.immediate([&ran] { ++ran; });
    }).join();
    CHECK(ran == 1);
    tool.immediate([&ran] { ++ran; });
    tool.iterate();
    CHECK(ran == 2);
}
