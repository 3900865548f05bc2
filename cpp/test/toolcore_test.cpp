#include "steptree/detail/toolcore.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/detail/coreref.hpp"
#include "steptree/virtualtool.hpp"

using steptree::AsyncSteps;
using steptree::Completion;
using steptree::IAsyncSteps;
using steptree::VirtualTool;
using steptree::detail::CoreRef;
using steptree::detail::RemoteNode;
using steptree::detail::RunNode;
using steptree::detail::Slot;
using steptree::detail::TimerNode;
using steptree::detail::ToolCore;

namespace {

using Log = std::vector<std::string>;

struct Node : RunNode {
    explicit Node(std::function<void()> f) : call(std::move(f)) {
        run = [](RunNode* node) noexcept { static_cast<Node*>(node)->call(); };
    }
    std::function<void()> call;
};

struct Alarm : TimerNode {
    explicit Alarm(std::function<void()> f) : call(std::move(f)) {
        fire = [](TimerNode* node) noexcept { static_cast<Alarm*>(node)->call(); };
    }
    std::function<void()> call;
};

struct Letter : RemoteNode {
    explicit Letter(std::function<void(bool)> f) : call(std::move(f)) {
        deliver = [](ToolCore&, RemoteNode* node, bool alive) noexcept {
            static_cast<Letter*>(node)->call(alive);
        };
    }
    std::function<void(bool)> call;
};

}  // namespace

TEST_CASE("what is put after a callback runs before the next one, in order", "[toolcore]") {
    VirtualTool tool;
    ToolCore& core = tool.core();
    Log log;
    Node third([&] { log.push_back("after 3"); });
    Node first([&] {
        log.push_back("after 1");
        core.afterCallback(third);
    });
    Node second([&] { log.push_back("after 2"); });
    Node dropped([&] { log.push_back("dropped"); });
    Node a([&] {
        core.afterCallback(first);
        core.afterCallback(dropped);
        core.afterCallback(second);
        core.remove(dropped);
        log.push_back("a");
    });
    Node b([&] { log.push_back("b"); });
    core.enqueue(a);
    core.enqueue(b);
    tool.run();
    CHECK(log == Log{"a", "after 1", "after 2", "after 3", "b"});
}

TEST_CASE("what is put after a callback outside of any comes before the next", "[toolcore]") {
    VirtualTool tool;
    Log log;
    Node after([&] { log.push_back("after"); });
    Node queued([&] { log.push_back("queued"); });
    tool.core().enqueue(queued);
    tool.core().afterCallback(after);
    CHECK(tool.core().ready());
    tool.run();
    CHECK(log == Log{"after", "queued"});
}

TEST_CASE("a node stands in the queue once", "[toolcore]") {
    VirtualTool tool;
    int runs = 0;
    Node node([&] { ++runs; });
    tool.core().enqueue(node);
    tool.core().enqueue(node);
    tool.run();
    CHECK(runs == 1);
    tool.core().remove(node);
}

TEST_CASE("a timer is armed anew and disarmed in the callback that has armed it", "[toolcore]") {
    VirtualTool tool;
    ToolCore& core = tool.core();
    Log log;
    Alarm again([&] { log.push_back("again " + std::to_string(core.now())); });
    Alarm never([&] { log.push_back("never"); });
    Alarm far([&] { log.push_back("far"); });
    Node node([&] {
        core.arm(again, 5);
        core.arm(never, 1);
        core.arm(again, 9);
        core.disarm(never);
        core.arm(far, ToolCore::kNever);
    });
    core.enqueue(node);
    tool.advance(1000);
    CHECK(log == Log{"again 9"});
    CHECK_FALSE(again.armed());
    CHECK(far.armed());
    core.disarm(far);
    core.disarm(far);
}

TEST_CASE("a timer may disarm another that is due in the same pass", "[toolcore]") {
    VirtualTool tool;
    ToolCore& core = tool.core();
    Log log;
    Alarm second([&] { log.push_back("second"); });
    Alarm first([&] { core.disarm(second); });
    core.arm(first, 3);
    core.arm(second, 3);
    tool.run();
    CHECK(log.empty());
}

TEST_CASE("what was posted is delivered on the tool's thread, or dropped once",
          "[toolcore][thread]") {
    Log log;
    Letter early([&](bool alive) { log.push_back(alive ? "early" : "early dropped"); });
    Letter pending([&](bool alive) { log.push_back(alive ? "pending" : "pending dropped"); });
    Letter late([&](bool alive) { log.push_back(alive ? "late" : "late dropped"); });
    CoreRef core;
    {
        VirtualTool tool;
        core = CoreRef(tool.core());
        std::thread([&] { core->postRemote(early); }).join();
        CHECK(log.empty());
        tool.run();
        CHECK(core->alive());
        core->postRemote(pending);
    }
    CHECK_FALSE(core->alive());
    std::thread([&] { core->postRemote(late); }).join();
    CHECK(log == Log{"early", "pending dropped", "late dropped"});
}

TEST_CASE("a tool that goes leaves nothing linked", "[toolcore]") {
    Node queued([] {});
    Node after([] {});
    Alarm armed([] {});
    CoreRef core;
    Slot* slot = nullptr;
    {
        VirtualTool tool;
        core = CoreRef(tool.core());
        core->enqueue(queued);
        core->afterCallback(after);
        core->arm(armed, 5);
        slot = core->slots.acquire(&queued);
        CHECK(slot->open(slot->generation()));
    }
    CHECK_FALSE(queued.queued());
    CHECK_FALSE(after.queued());
    CHECK_FALSE(armed.armed());
    CHECK_FALSE(slot->open(slot->generation()));
    CHECK(core->slots.release(slot) == nullptr);
}

TEST_CASE("a core lives on for the flows that outlive their tool", "[toolcore]") {
    ToolCore* core = nullptr;
    {
        VirtualTool tool;
        core = &tool.core();
        core->flowBorn();
        core->flowBorn();
    }
    core->flowGone();
    CHECK(core->flows() == 1);
    CHECK_FALSE(core->alive());
    core->flowGone();  // the last reference; a leak or a use after it shows under AddressSanitizer
}

TEST_CASE("completions and the tool that goes race without a second winner", "[toolcore][thread]") {
    for (int round = 0; round < 300; ++round) {
        std::atomic<int> winners = 0;
        std::atomic<int> started = 0;
        std::vector<std::thread> threads;
        const auto brought = std::make_shared<int>(round);
        int taken = 0;
        {
            std::optional<VirtualTool> tool(std::in_place);
            AsyncSteps flow(*tool);
            Completion completion;
            flow.add([&](IAsyncSteps& asi) { completion = asi.waitExternal(); });
            flow.add([&](IAsyncSteps&, std::shared_ptr<int>& value) { taken += value == brought; });
            flow.execute();
            tool->run();
            for (int t = 0; t < 3; ++t) {
                threads.emplace_back([&, completion] {
                    ++started;
                    winners += completion.success(brought) ? 1 : 0;
                });
            }
            while (started < 3) std::this_thread::yield();
            if (round % 2 == 0) tool->run();
            tool.reset();
        }
        for (std::thread& thread : threads) thread.join();
        REQUIRE(winners <= 1);
        REQUIRE(taken <= winners);
        REQUIRE(brought.use_count() == 1);
    }
}
