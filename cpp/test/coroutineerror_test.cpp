#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/task.hpp"

using namespace rig;
using steptree::ErrorCode;
using steptree::Future;
using steptree::Task;

using Log = std::vector<std::string>;

TEST_CASE(
    "an error of what a coroutine awaits is thrown there, before its step's handler hears of it",
    "[coroutine]") {
    Rig rig;
    Log log;
    rig.flow.add(
        [&](IAsyncSteps& asi) -> Task<> {
            try {
                asi.add([](IAsyncSteps& asi) { asi.add(delay(1)); });
                asi.add([](IAsyncSteps& asi) { asi.error("Inner", "why"); });
                co_await asi.add([&](IAsyncSteps&) { log.push_back("dropped"); });
            } catch (const StepError& error) {
                log.push_back(error.code() + ":" + error.info() + ":" + error.path());
            }
            co_await asi.add(delay(1));
            co_await asi.add([](IAsyncSteps& asi) { asi.error("Second"); });
            log.push_back("no");
        },
        [&](IAsyncSteps& asi, ErrorCode code) {
            log.push_back("handler " + std::string(code));
            asi.success();
        });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"Inner:why:0/1", "handler Second"});
}

TEST_CASE("an exception that leaves a coroutine is its step's error", "[coroutine]") {
    Rig rig;
    struct Mine : std::runtime_error {
        Mine() : std::runtime_error("mine") {}
    };
    const auto failing = [](auto fail) {
        return [fail](IAsyncSteps& asi) -> Task<> {
            co_await asi.add(delay(1));
            fail(asi);
            co_await asi.add(delay(100));
        };
    };
    rig.flow.add(failing([](IAsyncSteps& asi) { asi.error("Code", "info"); }));
    CHECK(rig.run() == "error Code");
    rig.flow.add(failing([](IAsyncSteps&) { throw StepError("Thrown"); }));
    CHECK(rig.run() == "error Thrown");
    rig.flow.add(failing([](IAsyncSteps&) { throw 5; }));
    CHECK(rig.run() == "error InternalError");
    rig.flow.add(failing([](IAsyncSteps&) { throw Mine(); }));
    const Future<> future = rig.flow.promise();
    rig.tool.run();
    CHECK_THROWS_AS(future.get(), Mine);
    CHECK(rig.tool.now() == 4);
}

TEST_CASE("an error that a coroutine lets through keeps where it was raised", "[coroutine]") {
    Rig rig;
    struct Mine : std::runtime_error {
        Mine() : std::runtime_error("mine") {}
    };
    bool rethrows = false;
    const auto body = [&](IAsyncSteps& asi) -> Task<> {
        try {
            co_await asi.add(
                [](IAsyncSteps& asi) { asi.add([](IAsyncSteps& asi) { asi.error("Deep"); }); });
        } catch (const StepError&) {
            if (rethrows) throw;
            throw StepError("Other");
        }
    };
    const auto path = [&](auto&& step) {
        std::string text;
        rig.flow.add(step, [&](IAsyncSteps& asi, ErrorCode code) {
            text = std::string(code) + " " + asi.state().asyncStack();
            asi.success();
        });
        CHECK(rig.run() == "ok");
        return text;
    };
    CHECK(path(body) == "Other 0");
    rethrows = true;
    CHECK(path(body) == "Deep 0/0/0");
    CHECK(path([](IAsyncSteps& asi) -> Task<> {
              co_await asi.add([](IAsyncSteps&) { throw Mine(); });
          }) == "InternalError 0/0");
}

TEST_CASE("an error that a coroutine hasn't heard of isn't lost", "[coroutine]") {
    Rig rig;
    Log told;
    rig.flow
        .parallel([&](IAsyncSteps& asi, ErrorCode code) {
            told.emplace_back(code);
            try {
                std::rethrow_exception(asi.state().lastException());
            } catch (const StepError& error) {
                for (const StepError& other : error.also()) told.push_back(other.code());
            }
            asi.success();
        })
        .add([](IAsyncSteps& asi) -> Task<> {
            // Raised in this branch's second turn, to be heard of in its third.
            co_await asi.add([](IAsyncSteps& asi) { asi.error("Unheard"); });
        })
        .add([](IAsyncSteps& asi) { asi.add([](IAsyncSteps& asi) { asi.error("Fails"); }); });
    CHECK(rig.run() == "ok");
    CHECK(told == Log{"Fails", "Unheard"});
}

TEST_CASE("a coroutine sees the errors that have joined one in the order in which they happened",
          "[coroutine]") {
    Rig rig;
    std::vector<Completion> waits(3);
    Log log;
    rig.tool.deferred(1, [&] {
        waits[2].success();
        waits[1].error("First");
        waits[0].error("Second");
    });
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> {
        try {
            IParallel& branches = asi.parallel();
            for (Completion& wait : waits) {
                branches.add([&](IAsyncSteps& branch) {
                    branch.add([&wait](IAsyncSteps& inner) { wait = inner.waitExternal(); });
                    if (&wait == &waits[2])
                        branch.add([](IAsyncSteps& inner) { inner.error("E"); });
                });
            }
            co_await asi;
        } catch (const StepError& error) {
            log.push_back(error.code());
            for (const StepError& joined : error.also()) log.push_back(joined.code());
        }
    });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"E", "First", "Second"});
}

TEST_CASE("a task that was moved from is refused, not run", "[coroutine]") {
    Rig rig;
    const auto inner = [](IAsyncSteps&) -> Task<> { co_return; };
    Log log;
    const auto note = [&log](IAsyncSteps& step, ErrorCode code) {
        log.push_back(std::string(code) + ": " + step.state().errorInfo());
        step.success();
    };
    SECTION("by co_await") {
        rig.flow.add(
            [&](IAsyncSteps& asi) -> Task<> {
                Task<> task = inner(asi);
                const Task<> taken = std::move(task);
                co_await std::move(task);
            },
            note);
    }
    SECTION("by its step") {
        rig.flow.add(
            [&](IAsyncSteps& asi) {
                Task<> task = inner(asi);
                const Task<> taken = std::move(task);
                return task;
            },
            note);
    }
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"InternalError: expected a task, got one that was moved from"});
}
