#include <array>
#include <string>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/mutex.hpp"
#include "steptree/rwlock.hpp"

using namespace rig;
using steptree::ISync;
using steptree::Mutex;
using steptree::RwLock;

namespace {

/// A line enters a section of `outer`, perhaps after waiting for it, locks `inner` and then `outer`
/// in there, and ends. Who gets in first of two that wait for them: 'o' for `outer`.
template <class Outer>
std::string givenBack(Outer& outer, ISync& waitsFor, Mutex& inner, bool contended) {
    VirtualTool tool;
    std::string log;
    Completion let, end;
    AsyncSteps before(tool);
    AsyncSteps line(tool);
    AsyncSteps one(tool);
    AsyncSteps other(tool);
    if (contended) {
        before.sync(waitsFor, [&](IAsyncSteps& asi) { let = asi.waitExternal(); });
        before.execute();
    }
    line.sync(outer, [&](IAsyncSteps& asi) {
        inner.lock(asi);
        outer.lock(asi);
    });
    line.add([&](IAsyncSteps& asi) { end = asi.waitExternal(); });
    line.execute();
    tool.run();
    let.success();
    tool.run();
    one.sync(waitsFor, [&](IAsyncSteps&) { log += 'o'; });
    other.sync(inner, [&](IAsyncSteps&) { log += 'i'; });
    one.execute();
    other.execute();
    tool.run();
    CHECK(log.empty());
    end.success();
    tool.run();
    return log;
}

/// A line is let in while the body that waits still runs, which fails, or cancels its flow. What
/// comes of those who come later: in, waiting, refused.
std::string afterAbandoned(ISync& guard, bool cancels) {
    VirtualTool tool;
    std::string log;
    IAsyncSteps* held = nullptr;
    AsyncSteps holder(tool);
    AsyncSteps abandons(tool);
    holder.add([&](IAsyncSteps& asi) {
        guard.lock(asi);
        held = &asi;
        asi.add([](IAsyncSteps& inner) { inner.waitExternal(); });
    });
    abandons.add(
        [&](IAsyncSteps& asi) {
            guard.lock(asi);
            guard.unlock(*held);
            if (!cancels) asi.error("E");
            abandons.cancel();
        },
        [](IAsyncSteps& asi, steptree::ErrorCode) { asi.success(); });
    abandons.add([](IAsyncSteps& asi) { asi.waitExternal(); });
    holder.execute();
    abandons.execute();
    tool.run();
    std::array<AsyncSteps, 3> later{AsyncSteps(tool), AsyncSteps(tool), AsyncSteps(tool)};
    for (AsyncSteps& flow : later) {
        flow.add(
            [&](IAsyncSteps& asi) {
                asi.sync(guard, [&](IAsyncSteps& inner) {
                    log += "in ";
                    inner.waitExternal();
                });
            },
            [&](IAsyncSteps& asi, steptree::ErrorCode code) {
                log += code;
                asi.success();
            });
        flow.execute();
    }
    tool.run();
    return log;
}

}  // namespace

TEST_CASE("a place that comes while a body waits goes back when that does not end well", "[sync]") {
    for (const bool cancels : {false, true}) {
        Mutex mutex(1, 1);
        CHECK(afterAbandoned(mutex, cancels) == "in DefenseRejected");
        RwLock lock({.maxQueue = 1});
        CHECK(afterAbandoned(lock.write, cancels) == "in DefenseRejected");
    }
}

TEST_CASE("what a line leaves locked goes back in reverse, whatever sections it was in", "[sync]") {
    for (const bool contended : {false, true}) {
        CAPTURE(contended);
        Mutex inner;
        Mutex mutex;
        CHECK(givenBack(mutex, mutex, inner, contended) == "oi");
        RwLock written;
        CHECK(givenBack(written.write, written.write, inner, contended) == "oi");
        RwLock read;
        CHECK(givenBack(read.read, read.write, inner, contended) == "oi");
    }
}
