#include <cstdint>
#include <string>
#include <thread>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/mutex.hpp"
#include "steptree/throttle.hpp"

using namespace rig;
using steptree::AsyncTool;

namespace {

/// As that of a virtual tool that has not moved.
struct Standing : steptree::Clock {
    std::int64_t nanoseconds() noexcept override { return 0; }
};

/// A flow of another thread, which waits in a queue and gives up before it knows that it was let
/// in.
class GivesUp {
  public:
    explicit GivesUp(steptree::Guard& guard) {
        flow_.sync(guard, [this](IAsyncSteps&) { ran_ = true; });
        onItsThread([this] {
            flow_.execute();
            while (tool_.iterate().delay == 0) continue;
        });
        CHECK(flow_.running());
        letIn_ = false;
    }

    /// Whether it was let in.
    bool giveUp() {
        const bool letIn = letIn_;
        onItsThread([this] { flow_.cancel(); });
        return letIn;
    }

    /// Whether it has given up, and is at its end.
    bool isOver() {
        onItsThread([this] { tool_.iterate(); });
        return !flow_.running() && !ran_;
    }

  private:
    template <class F>
    static void onItsThread(F&& act) {
        std::thread(std::forward<F>(act)).join();
    }

    bool letIn_ = false;
    Standing clock_;
    AsyncTool tool_{{.wake = [this] { letIn_ = true; }, .clock = &clock_}};
    AsyncSteps flow_{tool_};
    bool ran_ = false;
};

}  // namespace

TEST_CASE("who gives up a mutex when another thread has granted it leaves it to the next one",
          "[guards][thread]") {
    Rig rig;
    steptree::ThreadMutex mutex;
    Completion leaves;
    rig.flow.sync(mutex, [&leaves](IAsyncSteps& asi) { leaves = asi.waitExternal(); });
    rig.flow.execute();
    rig.tool.run();
    GivesUp other(mutex);
    AsyncSteps next(rig.tool);
    bool entered = false;
    next.sync(mutex, [&entered](IAsyncSteps&) { entered = true; });
    next.execute();
    rig.tool.run();
    CHECK_FALSE(entered);
    leaves.success();
    rig.tool.run();
    CHECK(other.giveUp());
    rig.tool.run();
    CHECK(entered);
    CHECK(other.isOver());
}

TEST_CASE("who gives up a throttle when another thread has let him in has had his entry",
          "[guards][thread]") {
    VirtualTool tool;
    steptree::ThreadThrottle throttle({.max = 1, .period = 10, .maxQueue = 5});
    AsyncSteps first(tool), next(tool);
    std::string entered;
    const auto enter = [&](AsyncSteps& flow) {
        flow.sync(throttle, [&](IAsyncSteps&) { entered += " " + std::to_string(tool.now()); });
        flow.execute();
        tool.advance(0);
    };
    enter(first);
    GivesUp other(throttle);
    enter(next);
    tool.advance(10);
    CHECK(other.giveUp());
    tool.run();
    CHECK(entered == " 0 20");
    CHECK(other.isOver());
}
