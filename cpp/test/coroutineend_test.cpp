#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/mutex.hpp"
#include "steptree/task.hpp"

using namespace rig;
using steptree::ErrorCode;
using steptree::Promise;
using steptree::Task;

namespace {

using Log = std::vector<std::string>;

struct Local {
    Log& log;
    std::string name;
    ~Local() { log.push_back("~" + name); }
};

/// What a coroutine may wait for, each for ever.
struct Waits {
    steptree::Mutex mutex;
    Promise<int> promise;
    Log log;

    Task<> inner(IAsyncSteps& asi) {
        const Local local{log, "inner"};
        co_await asi.add(delay(1000));
    }
    Task<> on(IAsyncSteps& asi, int kind) {
        switch (kind) {
            case 0:
                co_await asi.add(delay(1000));
                break;
            case 1:
                co_await promise.future();
                break;
            case 2:
                co_await asi.add([this](IAsyncSteps& asi) {
                    asi.setCancel([this](IAsyncSteps&) { log.push_back("cancel"); });
                });
                break;
            case 3:
                co_await asi.sync(mutex, [](IAsyncSteps&) {});
                break;
            case 4:
                co_await inner(asi);
                break;
            default:
                co_await asi.add([this](IAsyncSteps& asi) { return inner(asi); });
        }
    }
    /// A body that waits so, and what it leaves.
    auto body(int kind) {
        return [this, kind](IAsyncSteps& asi) -> Task<> {
            asi.setCancel([this](IAsyncSteps&) { log.push_back("own cancel"); });
            asi.defer([this](IAsyncSteps&) { log.push_back("deferred"); });
            const Local first{log, "first"};
            const Local second{log, "second"};
            try {
                co_await on(asi, kind);
                log.push_back("no");
            } catch (...) {
                log.push_back("caught");
            }
            co_await asi.add(delay(1));
            log.push_back("no");
        };
    }
    Log expected(int kind) {
        Log all;
        if (kind == 2) all.push_back("cancel");
        if (kind > 3) all.push_back("~inner");
        for (const char* text : {"~second", "~first", "own cancel", "deferred"})
            all.push_back(text);
        return all;
    }
};

constexpr int kKinds = 6;

}  // namespace

TEST_CASE("a cancel destroys a coroutine where it stands", "[coroutine]") {
    for (int kind = 0; kind < kKinds; ++kind) {
        CAPTURE(kind);
        Rig rig;
        Waits waits;
        AsyncSteps holder(rig.tool);
        holder.sync(waits.mutex, [](IAsyncSteps& asi) { asi.waitExternal(); });
        holder.execute();
        rig.flow.add(waits.body(kind),
                     [&](IAsyncSteps&, ErrorCode) { waits.log.push_back("handler"); });
        rig.flow.execute();
        rig.tool.advance(5);
        CHECK(waits.log.empty());
        rig.flow.cancel();
        rig.tool.advance(5);
        CHECK(waits.log == waits.expected(kind));
        CHECK_FALSE(rig.flow.running());
        if (kind == 1) CHECK_FALSE(waits.promise.future().settled());  // its maker goes on
        holder.cancel();
        CHECK(rig.tool.armedTimers() == 0);
    }
}

TEST_CASE("a timeout destroys a coroutine where it stands, its own as well", "[coroutine]") {
    for (const bool own : {false, true}) {
        for (int kind = 0; kind < kKinds; ++kind) {
            CAPTURE(own, kind);
            Rig rig;
            Waits waits;
            AsyncSteps holder(rig.tool);
            holder.sync(waits.mutex, [](IAsyncSteps& asi) { asi.waitExternal(); });
            holder.execute();
            const auto handler = [&](IAsyncSteps& asi, ErrorCode code) {
                waits.log.push_back(std::string(code));
                asi.success();
            };
            if (own) {
                rig.flow.add(
                    [&, body = waits.body(kind)](IAsyncSteps& asi) mutable {
                        asi.setTimeout(7);
                        return body(asi);
                    },
                    handler);
            } else {
                rig.flow.add(
                    [&](IAsyncSteps& asi) {
                        asi.setTimeout(7);
                        asi.add(waits.body(kind));
                    },
                    handler);
            }
            CHECK(rig.run() == "ok");
            Log expected = waits.expected(kind);
            const auto handled =
                own ? expected.end() - 1 : expected.end();  // before what is deferred
            expected.insert(handled, "Timeout");
            CHECK(waits.log == expected);
            CHECK(rig.tool.now() == 7);
        }
    }
}

TEST_CASE("what ends a sibling, a loop or a race ends the coroutine there", "[coroutine]") {
    Rig rig;
    Waits waits;
    rig.flow.parallel([](IAsyncSteps& asi, ErrorCode) { asi.success(); })
        .add(waits.body(0))
        .add([](IAsyncSteps& asi) -> Task<> {
            co_await asi.add(delay(1));
            asi.error("Fails");
        });
    rig.flow.add(race(waits.body(0), [](IAsyncSteps& asi) { asi.add(delay(1)); }));
    rig.flow.loop([&](IAsyncSteps& asi) -> Task<> {
        const Local local{waits.log, "loop"};
        try {
            co_await asi.add([](IAsyncSteps& asi) { asi.breakLoop(); });
        } catch (...) {
            waits.log.push_back("caught");
        }
    });
    CHECK(rig.run() == "ok");
    Log expected = waits.expected(0);
    for (const std::string& text : waits.expected(0)) expected.push_back(text);
    expected.push_back("~loop");
    CHECK(waits.log == expected);
    CHECK(rig.tool.now() == 2);
}

TEST_CASE("a cancel of the own flow lets the coroutine come to its next co_await", "[coroutine]") {
    Rig rig;
    Log log;
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> {
        const Local local{log, "local"};
        co_await asi.add(delay(1));
        rig.flow.cancel("enough");
        log.push_back("after");
        co_await asi;
        log.push_back("no");
    });
    CHECK(rig.run() == "cancelled enough");
    CHECK(log == Log{"after", "~local"});
    log.clear();
    rig.flow.add([&](IAsyncSteps&) -> Task<int> {
        const Local local{log, "local"};
        rig.flow.cancel();
        co_return 1;
    });
    CHECK(rig.run() == "cancelled ");
    CHECK(log == Log{"~local"});
}

TEST_CASE("a coroutine goes with its flow, or with its tool", "[coroutine]") {
    Log log;
    const auto body = [&](IAsyncSteps& asi) -> Task<> {
        const Local local{log, "local"};
        co_await asi.add(delay(1000));
    };
    std::optional<VirtualTool> tool(std::in_place);
    std::optional<AsyncSteps> flow(std::in_place, *tool);
    flow->add(body);
    flow.reset();  // never started
    CHECK(log.empty());
    flow.emplace(*tool);
    flow->add(body).execute();
    tool->advance(1);
    flow.reset();
    CHECK(log == Log{"~local"});
    flow.emplace(*tool);
    flow->add(body).execute();
    tool->advance(1);
    tool.reset();
    flow.reset();
    CHECK(log == Log{"~local", "~local"});
}

TEST_CASE("a coroutine may destroy its own flow", "[coroutine]") {
    VirtualTool tool;
    Log log;
    auto flow = std::make_unique<AsyncSteps>(tool);
    flow->add([&](IAsyncSteps& asi) -> Task<> {
        const Local local{log, "local"};
        co_await asi.add(delay(1));
        flow.reset();
        log.push_back("after");
        co_await asi;
        log.push_back("no");
    });
    flow->execute();
    tool.run();
    CHECK(log == Log{"after", "~local"});
}

TEST_CASE("a destructor of a coroutine that is destroyed may not touch its step", "[coroutine]") {
    Rig rig;
    std::string said;
    struct Calls {
        IAsyncSteps& asi;
        std::string& said;
        ~Calls() {
            said = codeOf([&] { asi.add([](IAsyncSteps&) {}); });
        }
    };
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> {
        const Calls calls{asi, said};
        co_await asi.add(delay(1000));
    });
    CHECK(rig.run() == "ok");
    CHECK(said == "nothing");  // it has come to its end, as a body
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> {
        const Calls calls{asi, said};
        co_await asi.add([](IAsyncSteps& asi) { asi.waitExternal(); });
    });
    CHECK(rig.run() == "waiting");
    CHECK(said == "InternalError");
}

TEST_CASE("a shielded coroutine is destroyed when its shield is left", "[coroutine]") {
    Rig rig;
    Log log;
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> {
        const Local local{log, "outer"};
        asi.setTimeout(5);
        co_await asi.add(shield(100, [&](IAsyncSteps& asi) -> Task<> {
            const Local local{log, "inner"};
            co_await asi.add(delay(10));
            log.push_back("shielded");
        }));
        log.push_back("no");
    });
    CHECK(rig.run() == "error Timeout");
    CHECK(log == Log{"shielded", "~inner", "~outer"});
    CHECK(rig.tool.now() == 10);
}
