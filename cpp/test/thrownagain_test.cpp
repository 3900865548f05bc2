#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/promise.hpp"

using namespace rig;
using steptree::Awaiter;
using steptree::Promise;

TEST_CASE("an error that is thrown into two flows stays as its maker made it", "[error]") {
    Rig one;
    Rig other;
    Promise<> promise;
    const StepError made("Shared", "why");
    std::string paths;
    const auto note = [&](IAsyncSteps& asi) { paths += asi.state().asyncStack() + " "; };
    const auto awaits = [&](IAsyncSteps& asi) { asi.await(promise.future()); };
    one.flow.add(awaits, [&](IAsyncSteps& asi, steptree::ErrorCode) { note(asi); });
    other.flow.add([&](IAsyncSteps& asi) { asi.add(awaits); },
                   [&](IAsyncSteps& asi, steptree::ErrorCode) { note(asi); });
    promise.fail(std::make_exception_ptr(made));
    CHECK(one.run() == "error Shared");
    CHECK(other.run() == "error Shared");
    CHECK(paths == "0/0 0/0/0 ");
    CHECK(made.path().empty());
}

TEST_CASE("an error that a handler throws again keeps its earlier also", "[error]") {
    Rig rig;
    std::string seen;
    const auto fails = [](IAsyncSteps& asi) {
        auto kept = std::make_shared<Completion>();
        asi.parallel()
            .add([kept](IAsyncSteps& branch) { *kept = branch.waitExternal(); })
            .add([kept](IAsyncSteps&) {
                kept->error("Second");
                throw std::runtime_error("first");
            });
    };
    const auto again = [](IAsyncSteps& asi, steptree::ErrorCode) {
        std::rethrow_exception(asi.state().lastException());
    };
    rig.flow.add([&](IAsyncSteps& asi) { asi.add(fails, again); },
                 [&](IAsyncSteps& asi, steptree::ErrorCode) {
                     for (const StepError& also : asi.state().lastError()->also()) {
                         seen += also.code();
                     }
                 });
    CHECK(rig.run() == "error InternalError");
    CHECK(seen == "Second");
}

TEST_CASE("a StepError that a handler throws again is not its own cause", "[error]") {
    Rig rig;
    bool caused = true;
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            asi.add([](IAsyncSteps& inner) { inner.error("X"); },
                    [](IAsyncSteps& inner, steptree::ErrorCode) {
                        std::rethrow_exception(inner.state().lastException());
                    });
        },
        [&](IAsyncSteps& asi, steptree::ErrorCode) {
            caused = asi.state().lastError()->cause() != nullptr;
        });
    CHECK(rig.run() == "error X");
    CHECK_FALSE(caused);
}

TEST_CASE("also lists 40,000 errors in the order in which they happened", "[error]") {
    constexpr std::size_t kMany = 40'000;
    Rig rig;
    std::vector<Completion> waits;
    bool ordered = true;
    std::size_t count = 0;
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            IParallel& branches = asi.parallel();
            for (std::size_t i = 0; i < kMany; ++i) {
                branches.add([&](IAsyncSteps& branch) { waits.push_back(branch.waitExternal()); });
            }
            branches.add([&](IAsyncSteps& branch) {
                for (std::size_t i = kMany; i-- > 0;) waits[i].error("E", std::to_string(i));
                branch.error("First");
            });
        },
        [&](IAsyncSteps& asi, steptree::ErrorCode) {
            const auto& also = asi.state().lastError()->also();
            count = also.size();
            for (std::size_t i = 0; i < count; ++i) {
                ordered = ordered && also[i].info() == std::to_string(count - 1 - i);
            }
        });
    CHECK(rig.run() == "error First");
    CHECK(count == kMany);
    CHECK(ordered);
}

TEST_CASE("an awaitable that fails with nothing fails its step with InternalError", "[promise]") {
    struct Null {
        void subscribe(Awaiter awaiter) { awaiter.fail(nullptr); }
        void cancel() {}
    };
    Rig rig;
    rig.flow.await(Null{});
    CHECK(rig.run() == "error InternalError");
}

TEST_CASE("an exception that calls the accessor when it is destroyed is dropped once", "[error]") {
    struct Calls : std::exception {
        Calls(IAsyncSteps& asi, bool& armed) : asi(asi), armed(armed) {}
        Calls(const Calls& other) : std::exception(other), asi(other.asi), armed(other.armed) {}
        ~Calls() override {
            if (std::exchange(armed, false)) asi.errorNoThrow("Dying");
        }
        IAsyncSteps& asi;
        bool& armed;
    };
    Rig rig;
    bool armed = false;
    std::string seen;
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            asi.errorNoThrow("One", "", std::make_exception_ptr(Calls(asi, armed)));
            armed = true;
            asi.errorNoThrow("Two");
        },
        [&](IAsyncSteps& asi, steptree::ErrorCode code) {
            seen = code;
            asi.success();
        });
    rig.flow.add([](IAsyncSteps& asi) { asi.errorNoThrow("First", "one"); },
                 [&](IAsyncSteps& asi, steptree::ErrorCode code) {
                     asi.errorNoThrow("Second", "two");
                     seen.append(" ").append(code);
                 });
    CHECK(rig.run() == "error Second");
    CHECK(seen == "Two First");
}

TEST_CASE("errors that join a thrown one come behind those that it has brought", "[error]") {
    std::exception_ptr thrown;
    {
        Rig rig;
        for (int i = 0; i < 10; ++i) {
            rig.flow.add([](IAsyncSteps& asi) { asi.error("Earlier"); },
                         [](IAsyncSteps& asi, const std::string&) { asi.success(); });
        }
        Completion claimed;
        IParallel& branches = rig.flow.parallel();
        branches.add([&](IAsyncSteps& asi) { claimed = asi.waitExternal(); });
        branches.add([&](IAsyncSteps& asi) {
            claimed.error("Brought");
            asi.error("Thrown");
        });
        rig.flow.execute([&](Outcome& outcome) { thrown = outcome.error; });
        rig.tool.run();
    }
    Rig rig;  // errors are counted anew
    Completion early, late;
    std::vector<std::string> also;
    rig.flow.add([&](IAsyncSteps& asi) {
        IParallel& branches = asi.parallel();
        branches.add([&](IAsyncSteps& inner) { late = inner.waitExternal(); });
        branches.add([&](IAsyncSteps& inner) { early = inner.waitExternal(); });
        branches.add([&](IAsyncSteps&) {
            early.error("Early");
            late.error("Late");
            std::rethrow_exception(thrown);
        });
    });
    rig.flow.execute([&](Outcome& outcome) {
        try {
            std::rethrow_exception(outcome.error);
        } catch (const StepError& error) {
            for (const StepError& one : error.also()) also.emplace_back(one.code());
        }
    });
    rig.tool.run();
    CHECK(also == std::vector<std::string>{"Brought", "Early", "Late"});
}
