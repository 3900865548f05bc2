// What bodies return that goes on: awaitables and coroutines.

#include <cstdint>

#include "catch.hpp"
#include "endof.hpp"
#include "steptree/task.hpp"

using namespace rig;
using steptree::Promise;
using steptree::Task;

TEST_CASE("what an iteration has awaited is dropped, and it may wait or have steps", "[model]") {
    Rig rig;
    Promise<int> promise;
    Completion completion;
    int ran = 0;
    rig.flow.repeat(2, [&](IAsyncSteps& asi, std::int64_t i) {
        if (i == 0) completion = asi.waitExternal();
        if (i == 1) asi.add([&ran](IAsyncSteps&) { ++ran; });
        return promise.future();
    });
    rig.flow.loop([&](IAsyncSteps& asi) -> Task<int> {
        asi.add([&](IAsyncSteps& inner) {
            if (++ran == 3) inner.breakLoop();
        });
        co_return 5;
    });
    rig.flow.add([&](IAsyncSteps&, Results& values) { ran += values.empty() ? 10 : 0; });
    rig.tool.deferred(1, [&] { promise.success(7); });
    rig.tool.deferred(2, [&] { CHECK(completion.success(8)); });
    CHECK(rig.run() == "ok");
    CHECK(ran == 13);
    CHECK(rig.tool.now() == 2);
}

TEST_CASE("what a coroutine returns is a value like any other", "[model][coroutine]") {
    CHECK(endOf([](IAsyncSteps& asi) -> Task<int> {
              asi.add([](IAsyncSteps& inner) { inner.success(1); });
              co_return 2;
          }) == "InternalError: a value was returned, and steps were added");
    CHECK(endOf([](IAsyncSteps& asi) -> Task<int> {
              co_await asi.add(delay(1));
              asi.waitExternal();
              co_return 2;
          }) == "InternalError: a value was returned, and waitExternal was called");
    CHECK(endOf([](IAsyncSteps& asi) -> Task<int> {
              asi.success(1, 2);
              co_return 2;
          }) == "2 values");
    CHECK(endOf([](IAsyncSteps& asi) -> Task<int> {
              asi.waitExternal().success(1, 2);
              co_return 2;
          }) == "2 values");
    CHECK(endOf([](IAsyncSteps& asi) -> Task<int> {
              asi.setTimeout(5);
              co_await asi.add(delay(1));
              co_return 2;
          }) == "1 values");
    CHECK(endOf([](IAsyncSteps& asi) -> Task<int> {
              asi.add(plain);
              asi.errorNoThrow("Own", "wins");
              co_return 2;
          }) == "Own: wins");
    CHECK(endOf([](IAsyncSteps&) -> Task<Results> {
              Results both;
              both.set(1, 2);
              co_return both;
          }) == "2 values");
    CHECK(endOf([](IAsyncSteps& asi) -> Task<> {
              asi.add(plain);
              co_return;
          }) == "0 values");
    CHECK(endOf([](IAsyncSteps& asi) -> Task<> {
              asi.success(1, 2);
              co_return;
          }) == "2 values");
}
