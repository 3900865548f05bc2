#include "steptree/error.hpp"

#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

namespace {

/// Runs a body that fails; `look` is called in its handler.
template <class Body, class Look>
std::string handled(Body body, Look look) {
    Rig rig;
    rig.flow.add(body, [&](IAsyncSteps& asi, const std::string&) { look(asi); });
    return rig.run();
}

template <class Body>
std::string outcomeOf(Body body) {
    return handled(body, [](IAsyncSteps&) {});
}

std::string codesOf(std::span<const StepError> errors) {
    std::string codes;
    for (const StepError& error : errors) codes += error.code();
    return codes;
}

/// Compiles without a warning only because the compiler knows that error() never returns.
int failing(IAsyncSteps& asi) {
    asi.error("Code");
}

}  // namespace

TEST_CASE("the compiler knows that error never returns", "[error]") {
    CHECK(outcomeOf([](IAsyncSteps& asi) { asi.success(failing(asi)); }) == "error Code");
}

TEST_CASE("error on a waiting step claims it and then throws", "[error]") {
    Rig rig;
    IAsyncSteps* waiting = nullptr;
    std::string thrown;
    rig.flow.add([&](IAsyncSteps& asi) {
        waiting = &asi;
        asi.waitExternal();
    });
    rig.tool.deferred(1, [&] {
        thrown = codeOf([&] { waiting->error("Outside"); });
        CHECK_FALSE(waiting->valid());
        thrown += ' ' + codeOf([&] { waiting->error("Again"); });
    });
    CHECK(rig.run() == "error Outside");
    CHECK(thrown == "Outside InternalError");
}

TEST_CASE("an error keeps copies of the code, info and cause that it was given", "[error]") {
    const auto cause = std::make_exception_ptr(std::runtime_error("cause"));
    bool same = false;
    const std::string end = handled(
        [&](IAsyncSteps& asi) {
            std::string code = "Code";
            std::string info = "info";
            std::exception_ptr given = cause;
            asi.errorNoThrow(code, info, given);
            code.assign(4, 'x');
            info.assign(4, 'y');
            given = nullptr;
        },
        [&](IAsyncSteps& asi) {
            const StepError& error = *asi.state().lastError();
            same = error.code() == "Code" && error.info() == "info" && error.cause() == cause;
        });
    CHECK(end == "error Code");
    CHECK(same);
}

TEST_CASE("an error with a cause of its own keeps it in a handler", "[error]") {
    const auto cause = std::make_exception_ptr(std::runtime_error("cause"));
    Rig rig;
    std::exception_ptr given;
    std::string replaced;
    std::string also;
    rig.flow.add(
        [&](IAsyncSteps& outer) {
            outer.add([](IAsyncSteps& asi) { asi.error("A"); },
                      [&](IAsyncSteps& asi, steptree::ErrorCode) { asi.error("B", "", cause); });
        },
        [&](IAsyncSteps& asi, steptree::ErrorCode) {
            given = asi.state().lastError()->cause();
            also = codesOf(asi.state().lastError()->also());
            asi.error("C");
        });
    auto future = rig.flow.promise();
    rig.tool.run();
    try {
        future.get();
    } catch (const StepError& error) {
        replaced = codeOf([&] { std::rethrow_exception(error.cause()); });
    }
    CHECK(given == cause);
    CHECK(also == "A");
    CHECK(replaced == "B");
}

TEST_CASE("an error that is given what it replaces as its cause has nothing else", "[error]") {
    Rig rig;
    rig.flow.add([](IAsyncSteps& asi) { asi.error("A"); },
                 [](IAsyncSteps& asi, steptree::ErrorCode) {
                     asi.error("B", "", asi.state().lastException());
                 });
    auto future = rig.flow.promise();
    rig.tool.run();
    std::string replaced;
    std::string also = "unknown";
    try {
        future.get();
    } catch (const StepError& error) {
        replaced = codeOf([&] { std::rethrow_exception(error.cause()); });
        also = codesOf(error.also());
    }
    CHECK(replaced == "A");
    CHECK(also.empty());
}

TEST_CASE("what a mistake in a handler has replaced is found behind later errors", "[error]") {
    Rig rig;
    std::string also;
    std::string causes;
    rig.flow.add(
        [&](IAsyncSteps& outer) {
            outer.add(
                [](IAsyncSteps& inner) {
                    inner.add([](IAsyncSteps& asi) { asi.error("A"); },
                              [](IAsyncSteps&, steptree::ErrorCode) {
                                  throw std::runtime_error("mistake");
                              });
                },
                [&](IAsyncSteps& asi, steptree::ErrorCode) {
                    also = codesOf(asi.state().lastError()->also());
                    asi.error("B");
                });
        },
        [&](IAsyncSteps& asi, steptree::ErrorCode) {
            try {
                std::rethrow_exception(asi.state().lastError()->cause());
            } catch (const StepError& cause) {
                causes = cause.code() + " " + codesOf(cause.also());
            }
            asi.success();
        });
    CHECK(rig.run() == "ok");
    CHECK(also == "A");
    CHECK(causes == "InternalError A");
}

TEST_CASE("a system_error keeps the code of its category's error, if that is known", "[error]") {
    struct Foreign : std::error_category {
        const char* name() const noexcept override { return "foreign"; }
        std::string message(int) const override { return "message"; }
    };
    const Foreign foreign;
    const auto thrown = [](std::error_code code) {
        return outcomeOf([code](IAsyncSteps&) { throw std::system_error(code); });
    };
    CHECK(thrown({ECONNREFUSED, std::generic_category()}) == "error ECONNREFUSED");
    CHECK(thrown({EPIPE, std::system_category()}) == "error EPIPE");
    CHECK(thrown({ECONNREFUSED, foreign}) == "error InternalError");
    CHECK(thrown({987654, std::generic_category()}) == "error InternalError");
}

TEST_CASE("last_exception of a foreign exception is that very exception", "[error]") {
    struct Mine : std::runtime_error {
        using runtime_error::runtime_error;
    };
    const void* address = nullptr;
    const void* seen = nullptr;
    const std::string end = handled(
        [&](IAsyncSteps&) {
            try {
                throw Mine("boom");
            } catch (const Mine& e) {
                address = &e;
                throw;
            }
        },
        [&](IAsyncSteps& asi) {
            try {
                std::rethrow_exception(asi.state().lastException());
            } catch (const Mine& e) {
                seen = &e;
                CHECK(asi.state().errorInfo() == "boom");
            }
        });
    CHECK(end == "error InternalError");
    CHECK(seen != nullptr);
    CHECK(seen == address);
}

TEST_CASE("nothing that a body throws leaves the engine", "[error]") {
    struct Baseless {};
    CHECK(outcomeOf([](IAsyncSteps&) { throw 5; }) == "error InternalError");
    CHECK(outcomeOf([](IAsyncSteps&) { throw Baseless{}; }) == "error InternalError");
    CHECK(outcomeOf([](IAsyncSteps&) { throw "text"; }) == "error InternalError");
    CHECK(outcomeOf([](IAsyncSteps&) { throw std::bad_alloc(); }) == "error InternalError");
    CHECK(handled([](IAsyncSteps& asi) { asi.error("X"); }, [](IAsyncSteps&) { throw 5; }) ==
          "error InternalError");
    CHECK(outcomeOf([](IAsyncSteps&) { throw StepError("Mine", "info"); }) == "error Mine");
    CHECK(outcomeOf([](IAsyncSteps&) { throw steptree::LoopControl(true, ""); }) ==
          "error InternalError");
}

TEST_CASE("a StepError carries code, info, path, cause and also", "[error]") {
    Rig rig;
    std::string seen;
    Completion other;
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            asi.parallel()
                .add([&](IAsyncSteps& branch) { other = branch.waitExternal(); })
                .add([&](IAsyncSteps& branch) {
                    branch.add([&](IAsyncSteps& inner) {
                        other.error("Second");
                        inner.error("First", "why");
                    });
                });
        },
        [&](IAsyncSteps& asi, steptree::ErrorCode code) {
            const StepError& error = *asi.state().lastError();
            seen = error.code() + "|" + error.info() + "|" + error.path();
            CHECK(code == "First");
            CHECK(error.path() == asi.state().asyncStack());
            REQUIRE(error.also().size() == 1);
            CHECK(error.also()[0].code() == "Second");
            CHECK(error.cause() == nullptr);
            CHECK(error.what() == std::string("First: why"));
        });
    CHECK(rig.run() == "error First");
    CHECK(seen == "First|why|0/0/|1/0");
}

TEST_CASE("error views are empty while no error passes", "[error]") {
    Rig rig;
    const auto check = [](IAsyncSteps& asi) {
        CHECK(asi.state().errorInfo().empty());
        CHECK(asi.state().asyncStack().empty());
        CHECK(asi.state().lastException() == nullptr);
        CHECK(asi.state().lastError() == nullptr);
    };
    bool seen = false;
    rig.flow
        .add(
            [&](IAsyncSteps& asi) {
                check(asi);
                asi.error("X", "info");
            },
            [&](IAsyncSteps& asi, steptree::ErrorCode) {
                seen = asi.state().errorInfo() == "info" && asi.state().lastException() != nullptr;
                asi.success();
            })
        .add([&](IAsyncSteps& asi) { check(asi); });
    CHECK(rig.run() == "ok");
    CHECK(seen);
    CHECK(rig.flow.state().lastError() == nullptr);
}

TEST_CASE("the state keeps nothing of an error that is over once it is asked again", "[error]") {
    struct Owner : std::exception {
        explicit Owner(std::shared_ptr<int> owned) : held(std::move(owned)) {}
        std::shared_ptr<int> held;
    };
    Rig rig;
    const auto held = std::make_shared<int>(0);
    long kept = 0;
    rig.flow
        .add([&](IAsyncSteps&) { throw Owner(held); },
             [](IAsyncSteps& asi, steptree::ErrorCode) {
                 CHECK(asi.state().lastError() != nullptr);
                 asi.success();
             })
        .add([&](IAsyncSteps& asi) {
            CHECK(asi.state().lastError() == nullptr);
            kept = held.use_count();
        });
    CHECK(rig.run() == "ok");
    CHECK(kept == 1);
}

TEST_CASE("a StepError outlives its flow and tool", "[error]") {
    std::exception_ptr kept;
    handled([](IAsyncSteps& asi) { asi.error("X", std::string(100, 'i')); },
            [&](IAsyncSteps& asi) { kept = asi.state().lastException(); });
    CHECK(codeOf([&] { std::rethrow_exception(kept); }) == "X");
    CHECK(StepError("").code() == "InternalError");
}

TEST_CASE("and so does one that its body has caught", "[error]") {
    std::optional<StepError> kept;
    const auto keep = [&kept](IAsyncSteps& asi) {
        try {
            asi.error("Code");
        } catch (const StepError& error) {
            kept = error;
            throw;
        }
    };
    CHECK(handled(keep, [](IAsyncSteps& asi) { asi.success(); }) == "ok");
    CHECK(kept->path() == "0");
}

TEST_CASE("the constants are those of the table of codes", "[error]") {
    using namespace steptree::errors;
    std::ifstream file(std::string(STEPTREE_SPEC) + "/errors.json");
    const std::string table((std::istreambuf_iterator<char>(file)), {});
    REQUIRE_FALSE(table.empty());
    std::set<std::string> codes;
    const std::string key = "\"code\": \"";
    for (auto at = table.find(key); at != std::string::npos; at = table.find(key, at)) {
        at += key.size();
        codes.insert(table.substr(at, table.find('"', at) - at));
    }
    std::set<std::string> constants;
    for (const auto code : {InternalError, Timeout, Canceled, DefenseRejected, Deadlock, AllFailed,
                            Closed, OutOfSteps, Omitted, Stalled, StalledWait, LeaseLost,
                            RedisFailed, CallLost, UnknownMethod, InvalidCall, NotImplemented}) {
        constants.emplace(code);
    }
    CHECK(codes == constants);
}
