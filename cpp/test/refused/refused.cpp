// What doesn't compile, each for the reason that its comment gives, which the compiler has to say.
// run.sh compiles this file once for each number, and once for 0, where all is right.
#include <array>
#include <atomic>
#include <coroutine>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "steptree/asyncsteps.hpp"
#include "steptree/mutex.hpp"
#include "steptree/task.hpp"

using namespace steptree;

void all(AsyncSteps& flow, Mutex& mutex, std::shared_ptr<int> text) {
    static_cast<void>(Options{.burst = 50});
    const auto plain = [](IAsyncSteps&) {};
    flow.add([&](IAsyncSteps& asi) -> Task<> {
        co_await asi.sync(mutex, [&](IAsyncSteps&) {});
        co_await asi.retry({.max = 2, .on = {"Busy"}}, [&](IAsyncSteps&) {});
        asi.sync(mutex, [text](IAsyncSteps&) {}).add(plain);
        co_await asi;
        const auto named = [text](IAsyncSteps&) {};
        co_await asi.add(named).parallel().add(named);
    });
    flow.add([](IAsyncSteps& asi) { return asi.success(1, 2, 3, 4); });
    flow.add([](IAsyncSteps& asi, int, int, int, int) { asi.add([](IAsyncSteps&) {}); });
    flow.add([plain](IAsyncSteps& asi) -> decltype(auto) { return asi.add(plain); });
    flow.add([](IAsyncSteps&) { return 5; }, [](IAsyncSteps&, ErrorCode code) { return code; });
    flow.loop([](IAsyncSteps&) { return std::atomic<int>(5); });
    flow.add([](IAsyncSteps& asi) { asi.defer([](IAsyncSteps&) { return std::string_view(); }); });

    // 1: a step has at most 4 values
#if CASE == 1
    flow.add([](IAsyncSteps& asi) { asi.success(1, 2, 3, 4, 5); });
#endif
    // 2: a step has at most 4 values
#if CASE == 2
    flow.successStep(1, 2, 3, 4, 5);
#endif
    // 3: a step has at most 4 values
#if CASE == 3
    Completion().success(1, 2, 3, 4, 5);
#endif
    // 4: a body takes at most 4 values
#if CASE == 4
    flow.add([](IAsyncSteps&, int, int, int, int, int) {});
#endif
    // 5: a branch is given no values
#if CASE == 5
    flow.parallel().add([](IAsyncSteps&, int) {});
#endif
    // 6: a branch is given no values
#if CASE == 6
    flow.race().sync(mutex, [](IAsyncSteps&, int) {});
#endif
    // 7: an error handler can't be a coroutine
#if CASE == 7
    flow.add(plain, [](IAsyncSteps& asi, ErrorCode) -> Task<> { co_await asi; });
#endif
    // 8: a cancel handler can't be a coroutine
#if CASE == 8
    flow.add([](IAsyncSteps& asi) { asi.setCancel([](IAsyncSteps& s) -> Task<> { co_await s; }); });
#endif
    // 9: what can't be moved, or a reference to what can't be copied
#if CASE == 9
    flow.add([](IAsyncSteps&) { return std::atomic<int>(5); });
#endif
    // 10: a future that blocks
#if CASE == 10
    flow.loop([](IAsyncSteps&) { return std::async([] { return 5; }); });
#endif
    // 11: which nobody would run: give it to asi.await()
#if CASE == 11
    flow.add(plain, [](IAsyncSteps& asi, ErrorCode) { return asi.newInstance(); });
#endif
    // 12, g++ before 13: Write it as two: `asi.sync(mutex, [text](IAsyncSteps& asi) {...});
    // co_await asi;`
#if CASE == 12
    flow.add(
        [&](IAsyncSteps& asi) -> Task<> { co_await asi.sync(mutex, [text](IAsyncSteps&) {}); });
#endif
    // 13, g++ before 13: co_await asi;`
#if CASE == 13
    flow.add([&](IAsyncSteps& asi) -> Task<> {
        co_await asi.add([text](IAsyncSteps&) {}).delay(1).add(plain);
    });
#endif
    // 14, g++ before 13: co_await asi;`
#if CASE == 14
    flow.add([&](IAsyncSteps& asi) -> Task<> {
        co_await asi.any().add(plain, [text](IAsyncSteps&, ErrorCode) {}).delay(1);
    });
#endif
    // 15: which nobody would use
#if CASE == 15
    flow.add([](IAsyncSteps& asi) { return asi.waitExternal(); });
#endif
    // 16: what only others can await
#if CASE == 16
    flow.add([](IAsyncSteps&) { return std::suspend_always(); });
#endif
    // 17: a view of what may be gone
#if CASE == 17
    flow.add([](IAsyncSteps&) { return std::string_view(); });
#endif
    // 18: a view of what may be gone
#if CASE == 18
    flow.add([](IAsyncSteps&) -> Task<std::span<int>> { co_return {}; });
#endif
    // 19: return a std::array or a std::vector
#if CASE == 19
    flow.add([numbers = std::array<int[3], 1>()](IAsyncSteps&) -> auto& { return numbers[0]; });
#endif
    // 20: what can't be moved, or a reference to what can't be copied
#if CASE == 20
    flow.add([held = std::unique_ptr<int>()](IAsyncSteps&) -> auto& { return held; });
#endif
    // 21: what is to be awaited
#if CASE == 21
    flow.add([](IAsyncSteps&) -> Task<Future<int>> { co_return Future<int>(); });
#endif
    // 22: which nobody would run: give it to asi.await()
#if CASE == 22
    flow.add([&flow](IAsyncSteps&) -> auto& { return flow.delay(1); });
#endif
}
