// What doesn't compile, each for the reason that its comment gives, which the compiler has to say.
// run.sh compiles this file once for each number, and once for 0, where all is right.
#include <array>
#include <atomic>
#include <coroutine>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "steptree/asyncsteps.hpp"
#include "steptree/barrier.hpp"
#include "steptree/channel.hpp"
#include "steptree/delay.hpp"
#include "steptree/local.hpp"
#include "steptree/loop.hpp"
#include "steptree/map.hpp"
#include "steptree/mutex.hpp"
#include "steptree/parallel.hpp"
#include "steptree/retry.hpp"
#include "steptree/run.hpp"
#include "steptree/shield.hpp"
#include "steptree/steps.hpp"
#include "steptree/task.hpp"
#include "steptree/throttle.hpp"

using namespace steptree;

void check(Tool& tool, AsyncSteps& flow, Mutex& mutex, std::shared_ptr<int> text) {
    static_cast<void>(tool);
    static_cast<void>(Options{.burst = 50});
    const auto plain = [](IAsyncSteps&) {};
    flow.add([&](IAsyncSteps& asi) -> Task<> {
        co_await asi.sync(mutex, [&](IAsyncSteps&) {});
        co_await asi.add(retry({.max = 2, .on = {"Busy"}}, [&](IAsyncSteps&) {}));
        asi.sync(mutex, [text](IAsyncSteps&) {}).add(plain);
        co_await asi;
        const auto named = [text](IAsyncSteps&) {};
        co_await asi.add(named).parallel().add(named);
    });
    flow.add([](IAsyncSteps& asi) { return asi.success(1, 2, 3, 4); });
    flow.add([](IAsyncSteps& asi, int, int, int, int) { asi.add([](IAsyncSteps&) {}); });
    flow.add([plain](IAsyncSteps& asi) -> decltype(auto) { return asi.add(plain); });
    flow.add([](IAsyncSteps&) { return 5; }, [=](IAsyncSteps&, ErrorCode) { return step(plain); });
    flow.add(
        plain, [plain](IAsyncSteps & asi, ErrorCode) -> auto& { return asi.add(plain); });
    flow.add(step([](IAsyncSteps&, std::string) {}).with(std::string_view("text")));
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
    flow.parallel().sync(mutex, [](IAsyncSteps&, int) {});
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
    flow.add(plain, [](IAsyncSteps& asi, ErrorCode) { return newInstance(asi); });
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
        co_await asi.add([text](IAsyncSteps&) {}).add(delay(1)).add(plain);
    });
#endif
    // 14, g++ before 13: co_await asi;`
#if CASE == 14
    flow.add([&](IAsyncSteps& asi) -> Task<> {
        co_await asi.parallel().add(plain, [text](IAsyncSteps&, ErrorCode) {}).add(delay(1));
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
    flow.add([&flow](IAsyncSteps&) -> auto& { return flow.add(delay(1)); });
#endif
    const auto one = [](IAsyncSteps&) { return 1; };
    const auto takesOne = [](IAsyncSteps&, int) {};
    const auto takesText = [](IAsyncSteps&, const std::string&) {};
    using Unique = std::unique_ptr<int>;
    const auto takesUnique = [](IAsyncSteps&, Unique) {};
    const auto looks = [](IAsyncSteps&, const Unique&) {};
    flow.add(steps(one, takesOne)).add(shield(5, takesUnique)).add(all(looks, looks));
    flow.add(step(takesText).with("text"));
    static_cast<void>(ChannelOptions{.capacity = 1});
    static_cast<void>(RetryBudget::Options{.capacity = 5, .ratio = 1});
    // 23, first: part 3 of steps() takes other values than part 2 leaves
#if CASE == 23
    steps(takesText, one, takesText);
#endif
    // 24, first: part 1 of steps() leaves nothing, and part 2 takes a value: say -> Values<...>
#if CASE == 24
    steps(plain, steps(takesOne, one));
#endif
    // 25, first: a mutable lambda is none
#if CASE == 25
    step([n = 0](IAsyncSteps&) mutable { ++n; });
#endif
    // 26, first: a body takes at most 4 values
#if CASE == 26
    static_cast<void>(steps([](IAsyncSteps&, int, int, int, int, int) {}));
#endif
    // 27, first: an error handler can't be a coroutine
#if CASE == 27
    flow.add(step(plain).onError([](IAsyncSteps& asi, ErrorCode) -> Task<> { co_await asi; }));
#endif
    // 28, first: parallel(): a branch is given no values
#if CASE == 28
    static_cast<void>(parallel(plain, takesOne));
#endif
    // 29, first: take what can't be by const reference
#if CASE == 29
    all(looks, takesUnique);
#endif
    // 30, first: take what can't be by const reference
#if CASE == 30
    retry({.max = 2}, [](IAsyncSteps&, Unique, int) {});
#endif
    // 31, first: takes values as they are or by const reference
#if CASE == 31
    static_cast<void>(step([](IAsyncSteps&, int&) {}));
#endif
    // 32, first: run(): the step takes values
#if CASE == 32
    run(tool, step(takesOne));
#endif
    // 33, first: with() is given what the step takes
#if CASE == 33
    static_cast<void>(step(takesOne).with(1, 2));
#endif
    // 34, first: a body's destructor may not throw
#if CASE == 34
    struct Throws {
        void operator()(IAsyncSteps&) const {}
        ~Throws() noexcept(false) {}
    };
    static_cast<void>(step(Throws()));
#endif
    // 35, first: a step has at most 4 values
#if CASE == 35
    step([](IAsyncSteps&) { return Values(1, 2, 3, 4, 5); });
#endif
    // 36, first: bound values are copied for each run
#if CASE == 36
    static_cast<void>(step(looks).with(Unique()));
#endif
    // 37, first: a source that is a function is copied for each run
#if CASE == 37
    static_cast<void>(
        map([held = Unique()] { return std::optional<int>(); }, {.limit = 1}, takesOne));
#endif
    // 38: a deferred function takes IAsyncSteps&, or IAsyncSteps& and const Outcome&
#if CASE == 38
    flow.add([](IAsyncSteps& asi) { asi.defer([](IAsyncSteps&, int) {}); });
#endif
    // 39: the outcome is gone at the first co_await
#if CASE == 39
    flow.add([](IAsyncSteps& asi) {
        asi.defer([](IAsyncSteps&, const Outcome&) -> Task<> { co_return; });
    });
#endif
    const auto number = [](IAsyncSteps&, int) {};
    const auto twice = [](IAsyncSteps&, int n) { return 2 * n; };
    flow.add(map(std::vector<int>{1}, {.limit = 1}, twice, [](int, std::size_t) {}));
    flow.add(repeat(2, number)).add(forEach(std::vector<int>{1}, [](IAsyncSteps&, int, int) {}));
    // 41, first: repeat(): a round is given a std::int64_t
#if CASE == 41
    flow.add(repeat(2, step(number)));
#endif
    // 42, first: forEach(): a round is given a std::size_t and an element
#if CASE == 42
    static_cast<void>(forEach(std::vector<int>{1}, step(number)));
#endif
    // 43: map(): the step takes other values than an item of the source
#if CASE == 43
    map(std::vector<std::string>{}, {.limit = 1}, step(number));
#endif
    // 44: the branches take values of different types
#if CASE == 44
    all(takesOne, takesText);
#endif
    // 45: on: the function is shared by all runs and called as const
#if CASE == 45
    retry({.max = 2, .on = [n = 0](const std::string&) mutable { return ++n < 2; }}, plain);
#endif
    // 46: map(): the sink is called as const
#if CASE == 46
    map(std::vector<int>{1}, {.limit = 1}, twice, [n = 0](int, std::size_t) mutable { ++n; });
#endif
    // 47: a coroutine takes its values by value, each by its type
#if CASE == 47
    step([](IAsyncSteps&, const Results&) -> Task<> { co_return; });
#endif
    // 48: a coroutine takes the number of its round by value
#if CASE == 48
    repeat(2, [](IAsyncSteps&, const std::int64_t&) -> Task<> { co_return; });
#endif
    // 49: a coroutine takes the number of its round by value
#if CASE == 49
    flow.repeat(2, [](IAsyncSteps&, const std::int64_t&) -> Task<> { co_return; });
#endif
    // 50: a body's destructor may not throw
#if CASE == 50
    struct ThrowsThen {
        void operator()(IAsyncSteps&, std::size_t, const int&) const {}
        ~ThrowsThen() noexcept(false) {}
    };
    forEach(std::vector<int>{1}, ThrowsThen());
#endif
    // 51: map(): the body is called as const, with the accessor, an item and its number
#if CASE == 51
    map(std::vector<int>{1}, {.limit = 1}, takesText);
#endif
    // 52, first: an error handler's value is dropped: call asi.success(value)
#if CASE == 52
    flow.add(plain, [](IAsyncSteps&, ErrorCode code) { return code; });
#endif
    // 53, first: an error handler's value is dropped: call asi.success(value)
#if CASE == 53
    static_cast<void>(step(one).onError([](IAsyncSteps&, ErrorCode) { return 5; }));
#endif
    // 54, first: an error handler's value is dropped: call asi.success(value)
#if CASE == 54
    flow.parallel([](IAsyncSteps&, ErrorCode) { return Values(1, 2); });
#endif
    std::string gone;
    // 55, first: a value is a view of what may be gone
#if CASE == 55
    flow.add([&](IAsyncSteps& asi) { asi.success(1, std::string_view(gone)); });
#endif
    // 56, first: a value is a view of what may be gone
#if CASE == 56
    static_cast<void>(step([](IAsyncSteps&) -> Values<std::string_view> { return {}; }));
#endif
    // 57, first: a value is a view of what may be gone
#if CASE == 57
    static_cast<void>(step([&](IAsyncSteps&) { return Values(std::string_view(gone), 1); }));
#endif
    // 58, first: a value is a view of what may be gone
#if CASE == 58
    Completion().success(std::string_view(gone));
#endif
    // 59, first: a value is a view of what may be gone
#if CASE == 59
    flow.successStep(std::span<char>(gone));
#endif
    // 60, first: a value is a view of what may be gone
#if CASE == 60
    static_cast<void>(Step<>(step(plain)).with(std::string_view(gone)));
#endif
    // 61, first: let the body take a std::string or a std::vector
#if CASE == 61
    static_cast<void>(step([](IAsyncSteps&, std::string_view) {}).with(gone));
#endif
    // 62, first: with() is given what the step takes: a value is of another type
#if CASE == 62
    static_cast<void>(step(takesOne).with("x"));
#endif
    // 63, first: takes IAsyncSteps&, then values, each by its type
#if CASE == 63
    step([](auto&, int) {});
#endif
    // 64, first: takes IAsyncSteps&, then values, each by its type
#if CASE == 64
    steps(one, [](IAsyncSteps&, auto) {});
#endif
    // 65, first: the first parameter of a body is IAsyncSteps&
#if CASE == 65
    steps(one, [](int) {});
#endif
    // 66, first: the types have to be the same, an int is no long
#if CASE == 66
    steps(one, [](IAsyncSteps&, long) {});
#endif
    // 67, first: a step value does nothing by itself: add it, return it or run it
#if CASE == 67
    delay(5);
#endif
    // 68, first: a step value does nothing by itself: add it, return it or run it
#if CASE == 68
    step(one).timeout(5);
#endif
    // 69, first: an error is lost with the future: tool.start(step) has none
#if CASE == 69
    run(tool, step(one));
#endif
    // 70, first: the value can't be copied: move it out, std::move(future).get()
#if CASE == 70
    const auto made = run(tool, step([](IAsyncSteps&) { return Unique(); }));
    made.get();
#endif
    // 71, first: a time is a number of milliseconds or a std::chrono duration
#if CASE == 71
    static_cast<void>(step(one).timeout("500"));
#endif
    // 72, first: a time is a number of milliseconds or a std::chrono duration
#if CASE == 72
    flow.add([](IAsyncSteps& asi) { asi.setTimeout("500"); });
#endif
    // 73, first: Required<
#if CASE == 73
    static_cast<void>(ChannelOptions{});
#endif
    // 74, first: Required<
#if CASE == 74
    static_cast<void>(RetryOptions{.backoff = {.base = 5}});
#endif
    // 75, first: Required<
#if CASE == 75
    static_cast<void>(RetryBudget::Options{.capacity = 5});
#endif
    // 76, first: Required<
#if CASE == 76
    static_cast<void>(ThrottleOptions{});
#endif
    // 77, first: Required<
#if CASE == 77
    static_cast<void>(BarrierOptions{});
#endif
    // 78, first: forEach(): the body is called as const, with the accessor, an index and an element
#if CASE == 78
    flow.add(forEach(std::vector<int>{1}, one));
#endif
    Channel<int> jobs({.capacity = 1});
    // 79, first: forEach(): the body is called as const, with the accessor, an index and a value
#if CASE == 79
    flow.add(forEach(jobs, one));
#endif
    // 80, first: forEach(): the body is called as const, with the accessor, a key and its value
#if CASE == 80
    flow.add(forEach(std::map<int, int>(), one));
#endif
    // 81, first: a round is given the accessor, and its number
#if CASE == 81
    flow.add(repeat(2, takesText));
#endif
    // 82, first: a round is given the accessor, and its number
#if CASE == 82
    flow.loop(takesText);
#endif
    // 83, first: an error is lost with the future: execute() has none
#if CASE == 83
    flow.promise<int>();
#endif
    // 40: a local's value moves without throwing
#if CASE == 40
    struct Throwing {
        Throwing(Throwing&&) noexcept(false) {}
    };
    local<Throwing>("throwing");
#endif
}
