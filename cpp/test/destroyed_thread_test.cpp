#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "compete.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/channel.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/throttle.hpp"

using namespace steptree;

namespace {

constexpr int kRounds = 200;

/// What is called by threads of its own until it goes.
class Callers {
  public:
    template <class Act>
    Callers(int threads, Act act) {
        for (int i = 0; i < threads; ++i) {
            threads_.emplace_back([this, act] {
                while (!over_.load(std::memory_order_relaxed)) act();
            });
        }
    }
    Callers(const Callers&) = delete;
    Callers& operator=(const Callers&) = delete;
    ~Callers() {
        over_ = true;
        for (std::thread& thread : threads_) thread.join();
    }

  private:
    std::atomic<bool> over_ = false;
    std::vector<std::thread> threads_;
};

/// A flow that waits, and what ends its wait.
struct Waiting {
    std::unique_ptr<AsyncSteps> flow;
    Completion done;
    Canceller cancel;

    explicit Waiting(AsyncTool& tool) : flow(std::make_unique<AsyncSteps>(tool, quiet())) {
        std::atomic<bool> waits = false;
        flow->add([&](IAsyncSteps& asi) {
            asi.defer([](IAsyncSteps& own) { own.add([](IAsyncSteps&) {}); });
            done = asi.waitExternal();
            waits = true;
        });
        cancel = flow->canceller();
        flow->execute([](Outcome&) {});
        while (!waits) std::this_thread::yield();
    }

    /// A cleanup that its tool leaves alone is reported.
    static Options quiet() {
        Options made;
        made.report = [](const std::string&, const std::string&, std::exception_ptr,
                         const std::string&) {};
        return made;
    }
};

}  // namespace

TEST_CASE("a flow is destroyed while threads complete and cancel it", "[completion][thread]") {
    AsyncTool tool;
    for (int round = 0; round < kRounds; ++round) {
        Waiting waiting(tool);
        std::atomic<int> won = 0;
        {
            const Callers callers(2, [&won, done = waiting.done, cancel = waiting.cancel] {
                won += done.success(std::string(100, 'x')) ? 1 : 0;
                cancel.cancel("other");
            });
            waiting.flow.reset();
        }
        CHECK(won <= 1);
    }
    AsyncSteps last(tool);
    last.promise().get();
}

TEST_CASE("a tool is destroyed while threads complete and cancel its flows",
          "[completion][thread]") {
    for (int round = 0; round < kRounds / 20; ++round) {
        auto tool = std::make_unique<AsyncTool>();
        std::vector<std::unique_ptr<Waiting>> waiting;
        for (int i = 0; i < 4; ++i) waiting.push_back(std::make_unique<Waiting>(*tool));
        std::vector<Completion> dones;
        std::vector<Canceller> cancels;
        for (const auto& each : waiting) {
            dones.push_back(each->done);
            cancels.push_back(each->cancel);
        }
        const Callers callers(2, [dones, cancels] {
            for (const Completion& done : dones) done.error("Late");
            for (const Canceller& cancel : cancels) cancel.cancel();
        });
        if (round % 2 == 0) waiting.clear();
        tool.reset();
    }
}

namespace {

/// Flows of two tools crowd a guard, while a thread cancels half of them and all are destroyed.
template <class Enter>
void crowd(Enter enter) {
    AsyncTool tools[2];
    for (int round = 0; round < kRounds / 20; ++round) {
        std::vector<std::unique_ptr<AsyncSteps>> flows;
        std::vector<Canceller> cancels;
        for (int i = 0; i < 6; ++i) {
            flows.push_back(std::make_unique<AsyncSteps>(tools[i % 2]));
            flows.back()->loop([enter, i](IAsyncSteps& asi) { enter(asi, i); });
            cancels.push_back(flows.back()->canceller());
            flows.back()->execute([](Outcome&) {});
        }
        const Callers callers(1, [&cancels] {
            for (std::size_t i = 0; i < cancels.size(); i += 2) cancels[i].cancel();
        });
        flows.clear();
    }
}

}  // namespace

TEST_CASE("holders and waiters of guards are destroyed on two tools, and the guards are free",
          "[guards][thread]") {
    ThreadMutex mutex({.max = 2});
    crowd([&](IAsyncSteps& asi, int) { asi.sync(mutex, [](IAsyncSteps&) {}); });
    CHECK(rig::isFree(mutex));
    ThreadLimiter limiter({.concurrent = 2, .maxQueue = 100, .rate = 1000000, .period = 1});
    crowd([&](IAsyncSteps& asi, int) { asi.sync(limiter, [](IAsyncSteps&) {}); });
    CHECK(rig::isFree(limiter));
    ThreadThrottle throttle({.max = 50, .period = 1, .maxQueue = 100});
    crowd([&](IAsyncSteps& asi, int) { asi.sync(throttle, [](IAsyncSteps&) {}); });
    CHECK(rig::isFree(throttle));
    ThreadRwLock lock;
    crowd([&](IAsyncSteps& asi, int i) {
        asi.sync(i % 3 == 0 ? static_cast<Guard&>(lock.write) : lock.read, [](IAsyncSteps&) {});
    });
    CHECK(rig::isFree(lock.write));
}

TEST_CASE("what waits at a channel is destroyed on two tools, and no place is lost",
          "[channel][thread]") {
    ThreadChannel<int> channel({.capacity = 1});
    crowd([&](IAsyncSteps& asi, int i) {
        if (i < 3) return channel.send(asi, i);
        channel.receive(asi);
    });
    while (channel.tryReceive()) continue;
    CHECK(channel.trySend(1));
    CHECK_FALSE(channel.trySend(2));
}
