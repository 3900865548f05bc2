#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/future.hpp"
#include "steptree/mutex.hpp"

using namespace rig;
using steptree::Awaiter;
using steptree::Future;
using steptree::Mutex;
using steptree::Promise;

namespace {

using Log = std::vector<std::string>;

/// Goes on, whoever asks it to stop.
struct GoesOn {
    std::optional<Awaiter>* to;

    void subscribe(Awaiter awaiter) { *to = std::move(awaiter); }
    void cancel() {}
};

/// Flows whose bodies await for 5 ms; what comes later is told.
struct Late {
    VirtualTool tool;
    Log told;
    std::vector<std::unique_ptr<AsyncSteps>> flows;

    template <class Make>
    void abandon(Make make) {
        steptree::Options options;
        options.report = [this](const std::string& code, const std::string& info, auto&&...) {
            told.push_back(code + ": " + info);
        };
        AsyncSteps& flow =
            *flows.emplace_back(std::make_unique<AsyncSteps>(tool, std::move(options)));
        flow.add(
            [make](IAsyncSteps& asi) {
                asi.setTimeout(5);
                return make(asi);
            },
            [](IAsyncSteps& asi, steptree::ErrorCode) { asi.success(); });
        flow.execute();
        tool.run();
        REQUIRE_FALSE(flow.running());
    }

    std::string enters(Mutex& mutex) {
        AsyncSteps next(tool);
        next.sync(mutex, [](IAsyncSteps&) {});
        return rig::run(tool, next);
    }
};

/// What is told of what ends so after it was abandoned.
template <class End>
Log afterEnd(End end) {
    Late late;
    std::optional<Awaiter> to;
    late.abandon([&to](IAsyncSteps&) { return GoesOn{&to}; });
    REQUIRE(to);
    end(*to);
    late.tool.run();
    return late.told;
}

}  // namespace

TEST_CASE("a mutex is free again when the abandoned future in its section settles", "[abandoned]") {
    Late late;
    Mutex mutex;
    Promise<int> promise;
    late.abandon([&](IAsyncSteps& asi) {
        asi.sync(mutex, [&](IAsyncSteps& inner) { inner.await(promise.future()); });
    });
    promise.fail(std::make_exception_ptr(std::runtime_error("late")));
    late.tool.run();
    CHECK(late.enters(mutex) == "ok");
}

TEST_CASE("a mutex is free again when what can't be stopped has settled", "[abandoned]") {
    Late late;
    Mutex mutex;
    std::optional<Awaiter> to;
    late.abandon(
        [&](IAsyncSteps& asi) { asi.sync(mutex, [&](IAsyncSteps&) { return GoesOn{&to}; }); });
    REQUIRE(to);
    CHECK(late.enters(mutex) == "waiting");
    to->success();
    late.tool.run();
    CHECK(late.enters(mutex) == "ok");
}

TEST_CASE("what was abandoned and then fails is told, whatever it fails with", "[abandoned]") {
    const auto thrown = std::make_exception_ptr(std::runtime_error("x"));
    CHECK(afterEnd([&](Awaiter& to) { to.fail(thrown); }) == Log{"InternalError: x"});
    CHECK(afterEnd([](Awaiter& to) { to.fail({}); }) ==
          Log{"InternalError: expected an exception, got null"});
    CHECK(afterEnd([](Awaiter& to) { to.success(1, 2, 3, 4, 5); }) ==
          Log{"InternalError: " + std::string(steptree::detail::kTooManyValues)});
    CHECK(afterEnd([](Awaiter& to) { to.success(1); }).empty());
}

TEST_CASE("two that fail without an exception are both told", "[abandoned]") {
    Late late;
    std::optional<Awaiter> one, other;
    late.abandon([&](IAsyncSteps&) { return GoesOn{&one}; });
    late.abandon([&](IAsyncSteps&) { return GoesOn{&other}; });
    late.tool.immediate([&] {
        one->fail({});
        other->fail({});
    });
    late.tool.run();
    CHECK(late.told.size() == 2);
}
