#include <functional>
#include <string>
#include <thread>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/task.hpp"

using namespace rig;
using steptree::ErrorCode;
using steptree::Promise;

namespace {

/// Another thread has done it, the tool doesn't know yet.
template <class F>
void elsewhere(F&& act) {
    std::thread(std::forward<F>(act)).join();
}

struct Seen {
    std::string also;

    auto handler() {
        return [this](IAsyncSteps& asi, ErrorCode code) {
            also = std::string(code) + ":";
            for (const StepError& error : asi.state().lastError()->also()) {
                also += ' ' + error.code() + '(' + error.info() + ")@" + error.path();
            }
        };
    }
};

}  // namespace

TEST_CASE("an outer timeout keeps the error that another thread has claimed",
          "[external][thread]") {
    Rig rig;
    Seen seen;
    Completion done;
    rig.tool.deferred(10, [&] { elsewhere([&] { CHECK(done.error("Away", "why")); }); });
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            asi.setTimeout(10);
            asi.add([&](IAsyncSteps& inner) { done = inner.waitExternal(); });
        },
        seen.handler());
    CHECK(rig.run() == "error Timeout");
    CHECK(seen.also == "Timeout: Away(why)@0/0");
    CHECK_FALSE(done.valid());
}

TEST_CASE("a failed branch keeps the error that another thread has claimed in a sibling",
          "[external][thread]") {
    Rig rig;
    Seen seen;
    Completion done;
    rig.flow.parallel(seen.handler())
        .add([&](IAsyncSteps& asi) { done = asi.waitExternal(); })
        .add([&](IAsyncSteps& asi) {
            elsewhere([&] { CHECK(done.error("Away")); });
            asi.error("Here");
        });
    CHECK(rig.run() == "error Here");
    CHECK(seen.also == "Here: Away()@0/|0");
}

TEST_CASE("a failing body keeps the error that another thread has claimed meanwhile",
          "[external][thread]") {
    Rig rig;
    Seen seen;
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            Completion done = asi.waitExternal();
            elsewhere([&] { CHECK(done.error("Away")); });
            asi.error("Here");
        },
        seen.handler());
    CHECK(rig.run() == "error Here");
    CHECK(seen.also == "Here: Away()@0");
}

TEST_CASE("an outer timeout keeps the rejection of another thread", "[promise][thread]") {
    Rig rig;
    Seen seen;
    Promise<int> promise;
    bool cancelled = false;
    promise.onCancel([&] { cancelled = true; });
    rig.tool.deferred(10, [&] { elsewhere([&] { promise.error("Away", "why"); }); });
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            asi.setTimeout(10);
            asi.await(promise.future());
        },
        seen.handler());
    CHECK(rig.run() == "error Timeout");
    CHECK(seen.also == "Timeout: Away(why)@0/0");
    CHECK_FALSE(cancelled);
}

TEST_CASE("what another thread has completed well has no cancel handler any more",
          "[external][thread]") {
    for (const bool well : {true, false}) {
        Rig rig;
        Completion done;
        bool undone = false;
        rig.tool.deferred(10, [&] {
            elsewhere([&] { CHECK((well ? done.success() : done.error("Away"))); });
            rig.flow.cancel("enough");
            CHECK(undone == !well);
        });
        rig.flow.add([&](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) { undone = true; });
            done = asi.waitExternal();
        });
        CHECK(rig.run() == "cancelled enough");
        CHECK(undone == !well);
    }
}

TEST_CASE("values that another thread has brought too late are destroyed", "[external][thread]") {
    Rig rig;
    Seen seen;
    Completion done;
    const auto value = std::make_shared<int>(1);
    rig.tool.deferred(10, [&] { elsewhere([&] { CHECK(done.success(value)); }); });
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            asi.setTimeout(10);
            asi.add([&](IAsyncSteps& inner) { done = inner.waitExternal(); });
        },
        seen.handler());
    CHECK(rig.run() == "error Timeout");
    CHECK(seen.also == "Timeout:");
    CHECK(value.use_count() == 1);
}

TEST_CASE("what another thread claims while the body runs counts as if called in the body",
          "[external][thread]") {
    using Act = std::function<void(IAsyncSteps&, const Completion&)>;
    const auto away = [](const Completion& done, bool taken, const char* code = nullptr) {
        elsewhere([&] { CHECK((code != nullptr ? done.error(code) : done.success(1)) == taken); });
    };
    const auto end = [](const Act& act) {
        Rig rig;
        rig.flow.repeat(1, [&](IAsyncSteps& asi) {
            asi.add([&](IAsyncSteps& inner) { act(inner, inner.waitExternal()); });
        });
        return rig.run();
    };
    CHECK(end([&](IAsyncSteps&, const Completion& done) { away(done, true); }) == "ok");
    CHECK(end([&](IAsyncSteps& asi, const Completion& done) {
              away(done, true);
              asi.success(2);
          }) == "error InternalError");
    CHECK(end([&](IAsyncSteps& asi, const Completion& done) {
              away(done, true);
              asi.add([](IAsyncSteps&) {});
          }) == "error InternalError");
    CHECK(end([&](IAsyncSteps& asi, const Completion& done) {
              away(done, true, "Away");
              asi.success(2);
          }) == "error Away");
    CHECK(end([&](IAsyncSteps& asi, const Completion& done) {
              away(done, true, "Away");
              asi.add([](IAsyncSteps&) {});
          }) == "error Away");
    CHECK(end([&](IAsyncSteps& asi, const Completion& done) {
              asi.success(2);
              away(done, false);
          }) == "ok");
    CHECK(end([&](IAsyncSteps& asi, const Completion& done) {
              asi.errorNoThrow("Here");
              away(done, false, "Away");
          }) == "error Here");
    CHECK(end([&](IAsyncSteps& asi, const Completion& done) {
              asi.breakNoThrow();
              away(done, false, "Away");
          }) == "ok");
}

TEST_CASE("the accessor of a step that another thread has completed is too late",
          "[external][thread]") {
    Rig rig;
    std::string codes;
    rig.flow.add([&](IAsyncSteps& asi) {
        const Completion done = asi.waitExternal();
        rig.tool.deferred(1, [&codes, &asi, done] {
            elsewhere([&] { CHECK(done.success(1)); });
            codes = codeOf([&] { asi.success(2); });
            codes += ' ' + codeOf([&] { asi.setTimeout(5); });
            codes += ' ' + codeOf([&] { asi.setCancel([](IAsyncSteps&) {}); });
            codes += ' ' + codeOf([&] { asi.waitExternal(); });
            CHECK_FALSE(asi.valid());
        });
    });
    int value = 0;
    rig.flow.add([&](IAsyncSteps&, int given) { value = given; });
    CHECK(rig.run() == "ok");
    CHECK(codes == "InternalError InternalError InternalError InternalError");
    CHECK(value == 1);
}

TEST_CASE("what another thread claims before the body returns a value is the outcome",
          "[external][thread]") {
    for (const bool isCoroutine : {false, true}) {
        for (const bool fails : {false, true}) {
            Rig rig;
            int value = 0;
            const auto waits = [fails](IAsyncSteps& asi) {
                const Completion done = asi.waitExternal();
                elsewhere([&] { CHECK((fails ? done.error("Away") : done.success(1))); });
            };
            const auto plain = [waits](IAsyncSteps& asi) {
                waits(asi);
                return 2;
            };
            const auto coroutine = [waits](IAsyncSteps& asi) -> steptree::Task<int> {
                waits(asi);
                co_return 2;
            };
            if (isCoroutine) {
                rig.flow.add(coroutine);
            } else {
                rig.flow.add(plain);
            }
            rig.flow.add([&value](IAsyncSteps&, int given) { value = given; });
            CHECK(rig.run() == (fails ? "error Away" : "ok"));
            CHECK(value == (fails ? 0 : 1));
        }
    }
}

TEST_CASE("what another thread claims before the returned awaitable has a value is the outcome",
          "[external][promise][thread]") {
    const auto end = [](const std::function<void(const Completion&)>& act, int& value) {
        Rig rig;
        Promise<int> promise;
        Completion done;
        rig.flow.add([&](IAsyncSteps& asi) {
            done = asi.waitExternal();
            return promise.future();
        });
        rig.flow.add([&value](IAsyncSteps&, int given) { value = given; });
        rig.tool.deferred(5, [&] {
            elsewhere([&] { act(done); });
            promise.success(7);
        });
        return rig.run();
    };
    int value = 0;
    CHECK(end([](const Completion& done) { CHECK(done.success(1)); }, value) == "ok");
    CHECK(value == 1);
    CHECK(end([](const Completion& done) { CHECK(done.error("Away")); }, value) == "error Away");
}

TEST_CASE("what another thread completes when the returned awaitable has settled is too late",
          "[external][promise][thread]") {
    for (const bool fails : {false, true}) {
        Rig rig;
        Promise<int> promise;
        Completion done;
        bool claims = true;
        rig.flow.add([&](IAsyncSteps& asi) {
            done = asi.waitExternal();
            return promise.future();
        });
        rig.tool.deferred(5, [&] {
            if (fails) {
                promise.fail(std::make_exception_ptr(StepError("E")));
            } else {
                promise.success(7);
            }
            rig.tool.immediate([&] { elsewhere([&] { claims = done.error("Late"); }); });
        });
        CHECK(rig.run() == (fails ? "error E" : "error InternalError"));
        CHECK_FALSE(claims);
    }
}
