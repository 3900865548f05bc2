#include "steptree/lease.hpp"

#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/isync.hpp"
#include "steptree/mutex.hpp"

using namespace rig;
using namespace std::chrono_literals;
using steptree::ISync;
using steptree::Lease;

namespace {

struct Guard : ISync {
    void lock(IAsyncSteps& asi) override { lease = Lease(asi); }
    void unlock(IAsyncSteps&, const Outcome& outcome) override { codes.push_back(outcome.code); }

    Lease lease;
    std::vector<std::string> codes;
};

void waits(IAsyncSteps& asi) {
    static_cast<void>(asi.waitExternal());
}

using Codes = std::vector<std::string>;

}  // namespace

TEST_CASE("a lease is of an open lock, which has one", "[lease]") {
    struct Twice : ISync {
        void lock(IAsyncSteps& asi) override {
            const Lease first(asi);
            second = codeOf([&] { Lease{asi}; });
        }
        void unlock(IAsyncSteps& asi, const Outcome&) override {
            after = codeOf([&] { Lease{asi}; });
        }
        std::string second;
        std::string after;
    };
    Rig rig;
    Twice guard;
    std::string inside;
    std::string beside;
    steptree::Mutex mutex;
    rig.flow.add([&](IAsyncSteps& asi) { beside = codeOf([&] { Lease{asi}; }); });
    rig.flow.sync(guard, [&](IAsyncSteps& asi) { inside = codeOf([&] { Lease{asi}; }); });
    CHECK(rig.run() == "ok");
    CHECK(guard.second == "InternalError");
    CHECK(guard.after == "InternalError");
    CHECK(inside == "InternalError");
    CHECK(beside == "InternalError");
}

TEST_CASE("a lock that is lost fails its section, and nothing after its end", "[lease]") {
    Rig rig;
    Guard guard;
    rig.flow.sync(guard, [&guard](IAsyncSteps& asi) {
        waits(asi);
        guard.lease.lose(5ms);
    });
    CHECK(rig.run() == "error LeaseLost");
    CHECK(guard.codes == Codes{"LeaseLost"});
    guard.lease.lose();
    CHECK(rig.tool.armedTimers() == 0);
    CHECK(codeOf([&] { guard.lease.lose(-1); }) == "InternalError");
    Lease().lose();
}

TEST_CASE("a lease that moves stays that of its section, and one that goes takes nothing back",
          "[lease]") {
    Rig rig;
    Guard guard;
    rig.flow.sync(guard, [&guard](IAsyncSteps&) {
        Lease moved = std::move(guard.lease);
        moved.lose(5);
        guard.lease = std::move(moved);
    });
    rig.flow.sync(guard, [&guard](IAsyncSteps& asi) {
        waits(asi);
        guard.lease.lose(5);
        guard.lease = Lease();
    });
    CHECK(rig.run() == "waiting");
    CHECK(guard.codes == Codes{"", "Canceled"});
}

TEST_CASE("a lease outlives a flow that is destroyed", "[lease]") {
    Guard guard;
    {
        Rig rig;
        rig.flow.sync(guard, waits);
        rig.flow.execute();
        rig.tool.run();
        guard.lease.lose(5);
    }
    guard.lease.lose(5);
    CHECK(guard.codes == Codes{"Canceled"});
}

TEST_CASE("an end that another thread has claimed for a section gives way to the loss of its lock",
          "[lease][thread]") {
    const bool fails = GENERATE(false, true);
    Rig rig;
    Guard guard;
    Completion completion;
    Codes heard;
    rig.flow.sync(
        guard, [&](IAsyncSteps& asi) { completion = asi.waitExternal(); },
        [&](IAsyncSteps& asi, const std::string& code) {
            heard.push_back(code);
            asi.success();
        });
    rig.flow.execute();
    rig.tool.run();
    rig.tool.deferred(5, [&] {
        std::thread([&] { fails ? completion.error("Late") : completion.success(); }).join();
    });
    guard.lease.lose(5);
    rig.tool.run();
    CHECK(heard == Codes{"LeaseLost"});
    CHECK(guard.codes == Codes{""});
}
