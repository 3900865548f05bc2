// What cpp/lint/outer-accessor.query finds: the lines that say so, and no others.
#include "steptree/asyncsteps.hpp"
#include "steptree/delay.hpp"
#include "steptree/mutex.hpp"

using namespace steptree;

void wrong(IAsyncSteps& asi, Mutex& mutex) {
    const auto plain = [](IAsyncSteps&) {};
    asi.add([&](IAsyncSteps&) { asi.success(1); });                                 // outer
    asi.add([&asi](IAsyncSteps&, int) { asi.add(delay(1)); });                      // outer
    asi.add(plain, [&](IAsyncSteps&, ErrorCode) { asi.success(1); });               // outer
    asi.add(delay(1)).add([&](IAsyncSteps&) { asi.error("E"); });                   // outer
    asi.loop([&](IAsyncSteps&) { asi.breakLoop(); });                               // outer
    asi.repeat(3, [&](IAsyncSteps&, std::int64_t) { asi.setTimeout(5); });          // outer
    asi.sync(mutex, [&](IAsyncSteps&) { static_cast<void>(asi.waitExternal()); });  // outer
    asi.defer([&](IAsyncSteps&) { asi.add(delay(1)); });                            // outer
    asi.setCancel([&](IAsyncSteps&) { asi.success(); });                            // outer
    asi.add([&](IAsyncSteps& own) {
        own.add([&](IAsyncSteps&) { own.success(); });  // outer
        own.add([&](IAsyncSteps&) { asi.success(); });  // outer
    });
}

void right(IAsyncSteps& asi, AsyncSteps& flow, Mutex& mutex) {
    asi.add([&](IAsyncSteps& own) { own.success(asi.state<int>("found")); });
    asi.add([&](IAsyncSteps& own) {
        if (asi.valid()) asi.success();
        own.success();
    });
    asi.sync(mutex, [](IAsyncSteps& own) { own.add([](IAsyncSteps& inner) { inner.success(); }); });
    const auto now = [&] { asi.success(2); };
    now();
    const Completion done = asi.waitExternal();
    asi.add([done](IAsyncSteps&) { done.success(); });
    flow.add([&](IAsyncSteps& own) {
        asi.success(1);  // of another flow, which may wait
        own.success();
    });
}
