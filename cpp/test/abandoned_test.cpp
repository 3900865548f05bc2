#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "allocations.hpp"
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

    steptree::Options options() {
        steptree::Options made;
        made.report = [this](const std::string& code, const std::string& info, auto&&...) {
            told.push_back(code + ": " + info);
        };
        return made;
    }

    template <class Make>
    void abandon(Make make) {
        AsyncSteps& flow = *flows.emplace_back(std::make_unique<AsyncSteps>(tool, options()));
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

/// Never stops, and uses what its step holds.
struct Stays {
    std::optional<steptree::Outlived>* kept;

    void subscribe(const Awaiter&) {}
    bool cancel() { return true; }
    void outlive(steptree::Outlived owner) { kept->emplace(std::move(owner)); }
};

/// So many steps, one in the other; an error passes in the innermost one, which then stays.
void stayBelow(IAsyncSteps& asi, int levels, std::optional<steptree::Outlived>& kept) {
    if (levels > 0) {
        asi.add([levels, &kept](IAsyncSteps& inner) { stayBelow(inner, levels - 1, kept); });
        return;
    }
    asi.add([](IAsyncSteps& inner) { inner.error("E"); },
            [](IAsyncSteps& inner, steptree::ErrorCode) { inner.success(); });
    asi.add([&kept](IAsyncSteps&) { return Stays{&kept}; });
}

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

/// Its failures have no exception of their own.
template <>
struct steptree::FailureTraits<std::string> {
    static std::string fromException(std::exception_ptr) { return ""; }
    static std::exception_ptr toException(const std::string& failure) {
        return std::make_exception_ptr(StepError(failure));
    }
};

TEST_CASE("a future that two steps awaited is told once, whatever its failures are",
          "[abandoned]") {
    const auto toldOf = [](auto promise, auto failure, bool within) {
        Late late;
        late.abandon([&](IAsyncSteps&) { return promise.future(); });
        late.abandon([&](IAsyncSteps&) { return promise.future(); });
        AsyncSteps open(late.tool, late.options());
        open.add([&](IAsyncSteps&) { return promise.future(); });
        if (within) open.execute();
        late.tool.run();
        late.tool.immediate([&] {
            promise.fail(failure);
            open.cancel();
        });
        late.tool.run();
        return late.told.size();
    };
    const auto thrown = std::make_exception_ptr(std::runtime_error("x"));
    CHECK(toldOf(Promise<int>(), thrown, false) == 1);
    CHECK(toldOf(Promise<int>(), thrown, true) == 1);
    CHECK(toldOf(Promise<int, std::string>(), "E", false) == 1);
    CHECK(toldOf(Promise<int, std::string>(), "E", true) == 1);
}

TEST_CASE("two futures that fail with one exception are both told", "[abandoned]") {
    Late late;
    Promise<int> one, other;
    late.abandon([&](IAsyncSteps&) { return one.future(); });
    late.abandon([&](IAsyncSteps&) { return other.future(); });
    late.tool.immediate([&] {
        const auto thrown = std::make_exception_ptr(std::runtime_error("x"));
        one.fail(thrown);
        other.fail(thrown);
    });
    late.tool.run();
    CHECK(late.told.size() == 2);
}

TEST_CASE("steps far inside that outlive their flow leave nothing behind", "[abandoned]") {
    std::size_t before = 0;
    for (int round = 0; round < 3; ++round) {
        if (round == 1) before = allocations::live();
        VirtualTool tool;
        steptree::Options options;
        options.report = [](auto&&...) {};
        AsyncSteps flow(tool, std::move(options));
        std::optional<steptree::Outlived> kept;
        flow.add([&kept](IAsyncSteps& asi) { stayBelow(asi, 100, kept); });
        flow.execute();
        tool.advance(1);
        flow.cancel();
        tool.run();
        REQUIRE(kept);
        kept.reset();
        tool.run();
    }
    CHECK(allocations::live() == before);
}
