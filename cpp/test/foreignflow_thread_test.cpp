#include <atomic>
#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/virtualtool.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::Canceller;
using steptree::IAsyncSteps;
using steptree::Outcome;
using steptree::OutcomeKind;
using steptree::VirtualTool;

TEST_CASE("a flow with a canceller goes unexecuted while its tool works", "[flow][thread]") {
    AsyncTool tool;
    AsyncSteps busy(tool);
    busy.loop([](IAsyncSteps& asi) {
        asi.setTimeout(60'000);
        asi.waitExternal().success();
    });
    busy.execute();
    for (int i = 0; i < 500; ++i) {
        Canceller canceller;
        {
            AsyncSteps flow(tool);
            canceller = flow.canceller();
            canceller.cancel();
        }
        canceller.cancel();
    }
    CHECK(busy.running());
}

TEST_CASE("a flow that is gone before its execute has arrived is not touched", "[flow][thread]") {
    auto token = std::make_shared<int>(0);
    VirtualTool tool;
    auto flow = std::make_unique<AsyncSteps>(tool);
    flow->add([token](IAsyncSteps&) { FAIL("ran"); });
    flow->state().set("kept", token);
    std::thread([&] { flow->execute(); }).join();
    flow->cancel();
    CHECK_FALSE(flow->running());
    CHECK(token.use_count() == 2);
    flow.reset();
    tool.run();
    CHECK(token.use_count() == 1);
    // It has given its memory back once: two flows that come later don't share it.
    int ran = 0;
    AsyncSteps one(tool);
    AsyncSteps other(tool);
    for (AsyncSteps* later : {&one, &other}) {
        later->add([&ran](IAsyncSteps&) { ++ran; });
        later->execute();
    }
    tool.run();
    CHECK(ran == 2);
}

TEST_CASE("an execute that arrives after its flow was cancelled starts nothing", "[flow][thread]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    std::thread([&] { flow.execute(); }).join();
    flow.cancel();
    flow.add([](IAsyncSteps&) { FAIL("ran"); });
    tool.run();
    CHECK_FALSE(flow.running());
}

TEST_CASE("a flow of another thread is cancelled when it is destroyed where it was executed",
          "[flow][thread]") {
    VirtualTool tool;
    std::unique_ptr<AsyncSteps> flow;
    std::thread([&] { flow = std::make_unique<AsyncSteps>(tool); }).join();
    bool cancelled = false;
    flow->add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) { cancelled = true; });
        asi.waitExternal();
    });
    flow->execute();
    tool.run();
    flow.reset();
    CHECK(cancelled);
}

TEST_CASE("a flow that another thread executes is cancelled before its destructor returns",
          "[flow][thread]") {
    AsyncTool tool;
    bool cancelled = false;
    {
        std::promise<void> waits;
        AsyncSteps flow(tool);
        flow.add([&](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) { cancelled = true; });
            asi.waitExternal();
            waits.set_value();
        });
        flow.execute();
        waits.get_future().wait();
    }
    CHECK(cancelled);
}

TEST_CASE("a flow of another thread that was never executed goes where it is destroyed",
          "[flow][thread]") {
    AsyncTool tool;
    for (const bool hasCanceller : {false, true}) {
        std::thread::id where;
        Canceller canceller;
        auto flow = std::make_unique<AsyncSteps>(tool);
        flow->add([gone = std::shared_ptr<int>(new int(0), [&](const int* value) {
                       where = std::this_thread::get_id();
                       delete value;
                   })](IAsyncSteps&) {});
        if (hasCanceller) canceller = flow->canceller();
        flow.reset();
        // What is done with a canceller may be on its way: then the tool's thread destroys it.
        std::promise<void> passed;
        tool.immediate([&] { passed.set_value(); });
        passed.get_future().wait();
        CHECK((where == std::this_thread::get_id()) == !hasCanceller);
        CHECK(where != std::thread::id());
    }
    std::thread::id where;
    {
        steptree::NitroSteps<> flow(tool);
        flow.add([gone = std::shared_ptr<int>(new int(0), [&](const int* value) {
                      where = std::this_thread::get_id();
                      delete value;
                  })](IAsyncSteps&) {});
    }
    CHECK(where == std::this_thread::get_id());
}

TEST_CASE("a flow of fixed size may be made and destroyed on another thread than its tool's",
          "[flow][thread]") {
    auto held = std::make_shared<int>(0);
    auto hook = std::make_shared<int>(0);
    for (const bool runs : {false, true}) {
        AsyncTool tool;
        tool.onError([hook](const std::exception_ptr&) {});
        {
            steptree::NitroSteps<> flow(tool);
            flow.add([held](IAsyncSteps&) {});
            if (runs) flow.execute();
        }
        CHECK(held.use_count() == 1);
    }
    CHECK(hook.use_count() == 1);  // nothing of the tools is left
}

TEST_CASE("what an idle flow of another thread reports takes nothing of its tool's memory",
          "[flow][thread]") {
    struct Throws {
        explicit Throws(bool* armed) : armed(armed) {}
        Throws(Throws&& other) noexcept : armed(std::exchange(other.armed, nullptr)) {}
        ~Throws() noexcept(false) {
            if (armed != nullptr) throw std::runtime_error("from a destructor");
        }
        bool* armed;
    };
    VirtualTool tool;  // Its memory is untouched: the first block takes a page of the heap.
    bool armed = true;
    int reported = 0;
    std::size_t taken = 0;
    std::thread([&] {
        const std::size_t before = allocations::live();
        {
            steptree::Options options;
            options.report = [&](auto&&...) { ++reported; };
            AsyncSteps flow(tool, std::move(options));
            flow.add([throws = Throws(&armed)](IAsyncSteps&) {});
        }
        taken = allocations::live() - before;
    }).join();
    CHECK(reported == 1);
    CHECK(taken == 0);
}
