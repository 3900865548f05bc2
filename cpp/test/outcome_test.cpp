#include "steptree/outcome.hpp"

#include <memory>
#include <string>

#include "catch.hpp"
#include "cleanup.hpp"
#include "rig.hpp"
#include "steptree/isync.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/promise.hpp"

using namespace rig;

namespace {

std::string textOf(const Outcome& outcome) {
    if (outcome.kind == OutcomeKind::ok) return "ok " + std::to_string(outcome.values.size());
    std::string what = "none";
    try {
        if (outcome.error != nullptr) std::rethrow_exception(outcome.error);
    } catch (const std::exception& thrown) {
        what = thrown.what();
    }
    const bool isError = outcome.kind == OutcomeKind::error;
    return (isError ? "error " : "cancelled ") + outcome.code + " '" + outcome.reason + "' " + what;
}

/// Counts copies of a value that a step hands on.
struct Counted {
    std::shared_ptr<int> copies = std::make_shared<int>(0);

    Counted() = default;
    Counted(const Counted& other) : copies(other.copies) { ++*copies; }
    Counted(Counted&&) noexcept = default;
};

struct Telling final : steptree::ISync {
    explicit Telling(Log& log) : log(log) {}
    void lock(IAsyncSteps&) override {}
    void unlock(IAsyncSteps&, const Outcome& outcome) override { log.push_back(textOf(outcome)); }
    Log& log;
};

void tell(IAsyncSteps& asi, Log& log) {
    asi.defer([&log](IAsyncSteps&, const Outcome& outcome) { log.push_back(textOf(outcome)); });
}

}  // namespace

TEST_CASE("a deferred function sees the step's values, which go on uncopied", "[outcome]") {
    Rig rig;
    std::string seen;
    Counted counted;
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.defer([&](IAsyncSteps&, const Outcome& outcome) {
            CHECK(outcome.values.size() == 3);
            seen += *outcome.values.at<std::unique_ptr<std::string>>(0) + " first";
            CHECK(outcome.values.at<std::string>(1) == "a text that no string has inside itself");
        });
        asi.defer([&](IAsyncSteps& own, const Outcome& outcome) {
            seen += *outcome.values.at<std::unique_ptr<std::string>>(0) + " last, ";
            own.add([](IAsyncSteps& inner) { inner.success("dropped"); });
        });
        asi.success(std::make_unique<std::string>("it"),
                    std::string("a text that no string has inside itself"), std::move(counted));
    });
    rig.flow.add([&](IAsyncSteps&, const std::unique_ptr<std::string>& it, const std::string&,
                     const Counted& one) {
        CHECK(*it == "it");
        CHECK(*one.copies == 0);
    });
    CHECK(rig.run() == "ok");
    CHECK(seen == "it last, it first");
}

TEST_CASE("a function that throws has given the values back", "[outcome]") {
    Rig rig;
    Log log;
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            tell(asi, log);
            asi.defer([](IAsyncSteps& own, const Outcome& outcome) {
                CHECK(outcome.values.size() == 1);
                own.error("E", "info");
            });
            asi.success(7);
        },
        nullptr);
    CHECK(rig.run() == "error E");
    CHECK(log == Log{"error E '' E: info"});
}

TEST_CASE("a native exception is that of the outcome", "[outcome]") {
    Rig rig;
    std::string what;
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.defer([&](IAsyncSteps&, const Outcome& outcome) {
            try {
                std::rethrow_exception(outcome.error);
            } catch (const std::out_of_range& thrown) {
                what = thrown.what();
            }
        });
        throw std::out_of_range("native");
    });
    CHECK(rig.run() == "error InternalError");
    CHECK(what == "native");
}

TEST_CASE("what closes a step from outside is behind its cancel", "[outcome]") {
    Rig rig;
    Log log;
    std::string cause;
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            asi.setTimeout(5, "Slow");
            asi.add([&](IAsyncSteps& inner) {
                tell(inner, log);
                inner.defer([&](IAsyncSteps&, const Outcome& outcome) {
                    try {
                        std::rethrow_exception(outcome.error);
                    } catch (const StepError& thrown) {
                        cause = codeOf([&] { std::rethrow_exception(thrown.cause()); });
                    }
                });
                inner.waitExternal();
            });
        },
        [](IAsyncSteps& asi, steptree::ErrorCode) { asi.success(); });
    rig.flow.loop([&](IAsyncSteps& asi) {
        tell(asi, log);
        asi.breakLoop();
    });
    CHECK(rig.run() == "ok");
    CHECK(cause == "Slow");
    CHECK(log == Log{"cancelled Canceled 'Slow' Canceled: Slow",
                     "cancelled Canceled 'break' Canceled: break"});
}

TEST_CASE("a flow that is destroyed tells its cleanups and guards that it is cancelled",
          "[outcome]") {
    VirtualTool tool;
    auto flow = std::make_unique<AsyncSteps>(tool);
    Log log;
    Telling guard(log);
    flow->add([&](IAsyncSteps& asi) {
        tell(asi, log);
        asi.sync(guard, [&](IAsyncSteps& section) {
            tell(section, log);
            section.waitExternal();
        });
    });
    flow->execute();
    tool.run();
    flow.reset();
    const std::string cancelled = "cancelled Canceled '' Canceled";
    CHECK(log == Log{cancelled, cancelled, cancelled});
}

TEST_CASE("a guard knows how its section has ended, whatever has ended it", "[outcome][sync]") {
    Rig rig;
    Log log;
    Telling guard(log);
    const auto recover = [](IAsyncSteps& asi, steptree::ErrorCode) { asi.success(); };
    rig.flow.sync(guard, [](IAsyncSteps& asi) { asi.success(1, std::string("two")); });
    rig.flow.sync(guard, [](IAsyncSteps&, int one, const std::string& two) {
        CHECK(one == 1);
        CHECK(two == "two");
    });
    rig.flow.add([&](IAsyncSteps& asi) { asi.sync(guard, [](IAsyncSteps& s) { s.error("E"); }); },
                 recover);
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            IParallel& both = asi.parallel();
            both.add([&](IAsyncSteps& one) {
                one.sync(guard, [](IAsyncSteps& section) {
                    section.defer([](IAsyncSteps& own) { own.add([](IAsyncSteps&) {}); });
                    section.waitExternal();
                });
            });
            both.add([](IAsyncSteps& other) { other.setTimeout(3); });
        },
        recover);
    rig.flow.repeat(1, [&](IAsyncSteps& asi) {
        asi.sync(guard, [](IAsyncSteps& section) { section.continueLoop(); });
    });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"ok 2", "ok 0", "error E '' E",
                     "cancelled Canceled 'Timeout' Canceled: Timeout",
                     "cancelled Canceled 'continue' Canceled: continue"});
}

TEST_CASE("a guard's own flow in unlock() changes no outcome of an outer section",
          "[outcome][sync]") {
    struct Nesting final : steptree::ISync {
        Nesting(VirtualTool& tool, Log& log) : inner(log), other(tool), log(log) {}
        void lock(IAsyncSteps&) override {}
        void unlock(IAsyncSteps&, const Outcome& outcome) override {
            if (other.running()) other.cancel("inner");
            log.push_back(textOf(outcome));
        }
        Telling inner;
        AsyncSteps other;
        Log& log;
    };
    VirtualTool tool;
    Log log;
    Nesting guard(tool, log);
    guard.other.sync(guard.inner, [](IAsyncSteps& asi) { asi.waitExternal(); });
    guard.other.execute();
    AsyncSteps flow(tool);
    flow.sync(guard, [](IAsyncSteps& asi) { asi.setTimeout(2); });
    CHECK(run(tool, flow) == "error Timeout");
    CHECK(log == Log{"error Timeout '' Timeout", "cancelled Canceled 'inner' Canceled: inner"});
}

TEST_CASE("a deferred function may return what is awaited, with and without the outcome",
          "[outcome]") {
    Rig rig;
    Log log;
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.defer([&](IAsyncSteps&) { log.emplace_back("without"); });
        asi.defer([&](IAsyncSteps& own, const Outcome& outcome) {
            log.push_back(textOf(outcome));
            steptree::Promise<> promise;
            const auto future = promise.future();
            own.setTimeout(100);
            promise.success();
            return future;
        });
    });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"ok 0", "without"});
}

TEST_CASE("cleanups of a NitroSteps get the outcome", "[outcome][nitro]") {
    VirtualTool tool;
    Log log;
    steptree::NitroSteps<steptree::MaxDefers<1>> flow(tool);
    flow.add([&](IAsyncSteps& asi) {
        tell(asi, log);
        asi.success(5);
    });
    CHECK(run(tool, flow) == "ok");
    CHECK(log == Log{"ok 1"});
}
