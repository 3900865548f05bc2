#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"

using namespace rig;
using steptree::ErrorCode;
using steptree::LoopControl;

namespace {

using Log = std::vector<std::string>;

/// The error that the flow fails with, and those that have joined it; `failing` allocations fail.
Log errorsOf(Rig& rig, std::size_t failing) {
    Log log;
    log.reserve(4);
    rig.flow.execute([&log](Outcome& outcome) {
        try {
            if (outcome.error != nullptr) std::rethrow_exception(outcome.error);
        } catch (const StepError& error) {
            log.push_back(error.code());
            for (const StepError& joined : error.also()) log.push_back(joined.code());
        }
    });
    const allocations::Failing fails(0, failing);
    rig.tool.run();
    return log;
}

}  // namespace

TEST_CASE("the accessor of a handler that has added steps takes no calls until they run",
          "[error]") {
    VirtualTool tool;
    steptree::Options options;
    options.burst = 1;
    AsyncSteps flow(tool, std::move(options));
    IAsyncSteps* kept = nullptr;
    bool valid = true;
    flow.add([](IAsyncSteps& asi) { asi.error("E"); },
             [&](IAsyncSteps& asi, ErrorCode) {
                 kept = &asi;
                 tool.immediate([&] { valid = kept->valid(); });
                 asi.add([&](IAsyncSteps&) { kept = nullptr; });
             });
    flow.execute();
    tool.run();
    CHECK(kept == nullptr);
    CHECK_FALSE(valid);
}

TEST_CASE("a loop control that leaves a cancel handler is told to report", "[error]") {
    VirtualTool tool;
    Log reported;
    steptree::Options options;
    options.report = [&](const std::string& code, auto&&...) { reported.push_back(code); };
    AsyncSteps flow(tool, std::move(options));
    std::exception_ptr kept;
    flow.loop([&](IAsyncSteps& asi) {
        if (kept == nullptr) {
            try {
                asi.continueLoop();
            } catch (const LoopControl&) {
                kept = std::current_exception();
                throw;
            }
        }
        asi.setCancel([&](IAsyncSteps&) { std::rethrow_exception(kept); });
        asi.waitExternal();
    });
    flow.execute();
    tool.run();
    REQUIRE(kept != nullptr);
    flow.cancel();
    tool.run();
    CHECK(reported == Log{"InternalError"});
}

TEST_CASE("errors that join one which its handler has thrown again come behind those before",
          "[error]") {
    Rig rig;
    Completion fails, early, inner;
    rig.tool.deferred(1, [&] {
        fails.success();
        early.error("Early");
        inner.error("Inner");
    });
    Log log;
    IParallel& outside = rig.flow.parallel([&](IAsyncSteps& asi, ErrorCode) {
        const StepError* const error = asi.state().lastError();
        log.push_back(error->code());
        for (const StepError& joined : error->also()) log.push_back(joined.code());
        asi.success();
    });
    outside.add([&](IAsyncSteps& asi) { early = asi.waitExternal(); });
    outside.add([&](IAsyncSteps& asi) {
        IParallel& inside = asi.parallel([](IAsyncSteps& own, ErrorCode) {
            std::rethrow_exception(own.state().lastException());
        });
        inside.add([&](IAsyncSteps& branch) { inner = branch.waitExternal(); });
        inside.add([&](IAsyncSteps& branch) {
            branch.add([&](IAsyncSteps& waits) { fails = waits.waitExternal(); });
            branch.add([](IAsyncSteps&) { throw std::runtime_error("native"); });
        });
    });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"InternalError", "Inner", "Early"});
}

TEST_CASE("an error that there is no memory to copy is that there is no memory",
          "[error][memory]") {
    Rig rig;
    std::exception_ptr thrown;
    {
        Rig other;
        Completion claimed;
        IParallel& branches = other.flow.parallel();
        branches.add([&](IAsyncSteps& asi) { claimed = asi.waitExternal(); });
        branches.add([&](IAsyncSteps& asi) {
            claimed.error("Brought");
            asi.error("Thrown");
        });
        other.flow.execute([&](Outcome& outcome) { thrown = outcome.error; });
        other.tool.run();
    }
    const auto throwAgain = [&thrown](IAsyncSteps&) { std::rethrow_exception(thrown); };
    rig.flow.add(throwAgain);
    CHECK(errorsOf(rig, 0) == Log{"Thrown", "Brought"});
    rig.flow.add(throwAgain);
    CHECK(errorsOf(rig, SIZE_MAX) == Log{"InternalError"});
}

TEST_CASE("the steps of a handler that fails after all are gone when it has returned", "[error]") {
    Rig rig;
    const auto kept = std::make_shared<int>();
    long left = 0;
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            asi.add([](IAsyncSteps& inner) { inner.error("E"); },
                    [kept](IAsyncSteps& inner, ErrorCode) {
                        inner.add([kept](IAsyncSteps&) {});
                        inner.error("Again");
                    });
        },
        [&](IAsyncSteps&, ErrorCode) { left = kept.use_count(); });
    CHECK(rig.run() == "error Again");
    CHECK(left == 1);
}
