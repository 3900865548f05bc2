// Step values: what the compiler knows of them, and what several of them share.

#include "steptree/steps.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "catch.hpp"
#include "gate.hpp"
#include "rig.hpp"
#include "steptree/mutex.hpp"
#include "steptree/run.hpp"
#include "steptree/task.hpp"

using namespace rig;
using namespace std::chrono_literals;
using steptree::AnyValues;
using steptree::Future;
using steptree::Task;
using steptree::Values;

namespace {

using Unique = std::unique_ptr<int>;

template <class V, class W, class S>
constexpr bool isA = std::is_same_v<S, Step<V, W>>;

}  // namespace

TEST_CASE("types go from part to part", "[values]") {
    const auto length = [](IAsyncSteps&, const std::string& text) { return text.size(); };
    const auto twice = [](IAsyncSteps&, std::size_t n) { return 2 * n; };
    const auto both = all(length, step(length), [](IAsyncSteps&) {});
    const auto sum = steps(
        both, [](IAsyncSteps&, const std::tuple<std::size_t, std::size_t, std::monostate>& n) {
            return std::get<0>(n) + std::get<1>(n);
        });
    const auto whole = steps(sum, twice).timeout(500ms).named("whole");
    static_assert(isA<Values<std::string>, Values<std::size_t>, std::decay_t<decltype(whole)>>);
    static_assert(isA<Values<>, Values<std::size_t>, decltype(whole.with("four"))>);
    Rig rig;
    Future<std::size_t> result = steptree::run(rig.tool, whole.with("four"));
    rig.tool.run();
    CHECK(result.get() == 16);
}

TEST_CASE("what a body returns says what it leaves", "[values]") {
    const auto types = []<class F>(F body) { return step(std::move(body)); };
    static_assert(isA<Values<>, Values<>, decltype(types([](IAsyncSteps&) {}))>);
    static_assert(
        isA<Values<>, Values<std::string>, decltype(types([](IAsyncSteps&) { return "text"; }))>);
    static_assert(isA<Values<int>, Values<int>, decltype(types([](IAsyncSteps&, int n) {
                          return Future<int>::successful(n);
                      }))>);
    static_assert(isA<Values<int>, Values<int>,
                      decltype(types([](IAsyncSteps&, int n) -> Task<int> { co_return n; }))>);
    static_assert(isA<Values<>, Values<int, std::string>,
                      decltype(types([](IAsyncSteps&) { return Values(1, "two"); }))>);
    static_assert(isA<Values<>, AnyValues,
                      decltype(types([](IAsyncSteps& asi) -> IAsyncSteps& { return asi; }))>);
    static_assert(isA<AnyValues, Values<>, decltype(types([](IAsyncSteps&, const Results&) {}))>);
    static_assert(
        isA<Values<int>, Values<>, decltype(retry({.max = 1}, [](IAsyncSteps&, int, int) {}))>);
    static_assert(isA<Values<int>, Values<std::string>,
                      decltype(hedge({1}, [](IAsyncSteps&, int, int) { return std::string(); }))>);
    static_assert(
        isA<Values<long>, Values<int>,
            decltype(race([](IAsyncSteps&, long) { return 1; }, [](IAsyncSteps&) { return 2; }))>);
}

/// The sentences are checked by refused/run.sh.
TEST_CASE("parts whose types don't fit don't compile", "[values]") {
    using steptree::detail::fits;
    static_assert(fits<Values<int, long>, Values<int>> && fits<AnyValues, Values<int>>);
    static_assert(fits<Values<int>, AnyValues> && fits<Values<int>, Values<>>);
    static_assert(!fits<Values<int>, Values<long>> && !fits<Values<>, Values<int>>);
    static_assert(!std::is_convertible_v<Step<Values<int>, Values<>>, Step<Values<>, Values<>>>);
    static_assert(std::is_convertible_v<Step<Values<>, Values<>>, Step<Values<int>, Values<>>>);
    static_assert(std::is_convertible_v<Step<Values<int>, Values<long>>, Step<>>);
}

TEST_CASE("several values are returned, or declared and given later", "[values]") {
    Gate gate;
    const auto two = [](IAsyncSteps&) { return Values(4, std::string("four")); };
    const auto late = [&gate](IAsyncSteps& asi, int, const std::string&) -> Values<int, int> {
        gate.waiting.push_back(asi.waitExternal());
        return {};
    };
    std::int64_t sum = 0;
    const auto add = [&sum](IAsyncSteps&, int a, int b) { sum += a + b; };
    Rig rig;
    rig.flow.add(steps(two, late, add));
    rig.flow.execute();
    rig.tool.run();
    gate.waiting[0].success(20, 3);
    rig.tool.run();
    CHECK(sum == 23);
}

TEST_CASE("what is made of one step has its name, also when that value is gone", "[values]") {
    const std::string name(100, 'n');
    const auto tried = [&name] {
        const auto fails = step([](IAsyncSteps& asi) { asi.error("E"); }).named(name);
        return retry({.max = 1}, fails);
    };
    std::vector<std::string> paths;
    const auto keep = [&paths](IAsyncSteps& asi, steptree::ErrorCode) {
        paths.emplace_back(asi.state().asyncStack());
        asi.success();
    };
    Rig rig;
    rig.flow.add([&](IAsyncSteps& asi) { asi.repeat(1, tried(), "label"); }, keep)
        .add(steptree::repeat(1, tried(), "label").timeout(5).onError(keep))
        .add(steptree::forEach(std::vector<int>{1}, tried()).named("own").onError(keep))
        .add([&](IAsyncSteps& asi) { asi.forEach(std::vector<int>{1}, tried()); }, keep);
    CHECK(rig.run() == "ok");
    CHECK(paths == std::vector{"0/" + name + "/#0/#0", name + "/#0/#0", std::string("own/#0/#0"),
                               "3/" + name + "/#0/#0"});
}

TEST_CASE("a list of branches has a list of values", "[values]") {
    std::vector<Step<Values<>, Values<int>>> list;
    for (int i = 0; i < 3; ++i) list.push_back(step([i](IAsyncSteps&) { return 10 * i; }));
    Rig rig;
    const auto found = all(list);
    static_assert(isA<Values<>, Values<std::vector<int>>, std::decay_t<decltype(found)>>);
    Future<std::vector<int>> result = steptree::run(rig.tool, found);
    rig.tool.run();
    CHECK(result.get() == std::vector<int>{0, 10, 20});
}

TEST_CASE("a branch that has not left what it is said to leave fails", "[values]") {
    const auto none = step<Values<>, Values<int>>([](IAsyncSteps&) {});
    Rig rig;
    rig.flow.add(all(none));
    CHECK(rig.run() == "error InternalError");
}

TEST_CASE("an attempt gets what was found and its number as any integer", "[values]") {
    std::vector<std::string> log;
    const auto attempt = [&log](IAsyncSteps& asi, const std::string& name, int number) {
        log.push_back(name + std::to_string(number));
        if (number < 3) asi.error("Again");
    };
    Rig rig;
    rig.flow.successStep("n").add(retry({.max = 3, .backoff = {.base = 0}}, attempt));
    rig.flow.add(retry({.max = 2, .backoff = {.base = 0}}, [&log](IAsyncSteps&, unsigned char one) {
        log.push_back(std::to_string(one));
    }));
    CHECK(rig.run() == "ok");
    CHECK(log == std::vector<std::string>{"n1", "n2", "n3", "1"});
}

TEST_CASE("what can't be copied is seen by several, or moved by one", "[values]") {
    const auto look = [](IAsyncSteps&, const Unique& five) { return *five; };
    const auto take = [](IAsyncSteps&, Unique five) { return *five; };
    const auto make = [](IAsyncSteps&) { return std::make_unique<int>(5); };
    steptree::Mutex mutex;
    int sum = 0;
    Rig rig;
    rig.flow.add(steps(make, all(look, look), [&sum](IAsyncSteps&, std::tuple<int, int> both) {
        sum += std::get<0>(both) + std::get<1>(both);
    }));
    rig.flow.add(
        steps(make, sync(mutex, shield(5, take)), [&sum](IAsyncSteps&, int n) { sum += n; }));
    rig.flow.add(steps(make, race(steps()), take));
    rig.flow.add(steps(make, retry({.max = 1}, steps(take))));
    CHECK(rig.run() == "error InternalError");
    CHECK(sum == 15);
}

TEST_CASE("what several see is copied for who wants it", "[values]") {
    std::vector<std::string> seen;
    const auto change = [&seen](IAsyncSteps&, std::string text) {
        text += "!";
        seen.push_back(text);
    };
    Rig rig;
    const std::string text(100, 'x');
    rig.flow.successStep(text);
    rig.flow.add(all(change, steps(change), change));
    CHECK(rig.run() == "ok");
    CHECK(seen == std::vector<std::string>(3, text + "!"));
}

TEST_CASE("what is shared is shared again, with a number for the attempts of a body", "[values]") {
    std::vector<std::string> seen;
    const auto see = [&seen](IAsyncSteps& asi, const std::string& text, int attempt) {
        seen.push_back(text.substr(99) + std::to_string(attempt));
        if (attempt == 1) asi.error("Again");
    };
    const auto look = [&seen](IAsyncSteps&, std::string text) { seen.push_back(text.substr(98)); };
    const steptree::RetryOptions twice{.max = 2, .backoff = {.base = 0}};
    Rig rig;
    rig.flow.successStep(std::string(100, 'x'));
    rig.flow.add(all(all(), retry(twice, retry(twice, see)), look, any(look)));
    CHECK(rig.run() == "ok");
    CHECK(seen == std::vector<std::string>{"x1", "xx", "xx", "x2"});
}

TEST_CASE("an attempt that is a sequence without parts gives on what it finds", "[values]") {
    std::string got;
    Rig rig;
    rig.flow.successStep(std::string(50, 'x'), 2);
    rig.flow.add(retry({.max = 1}, steps()));
    rig.flow.add([&got](IAsyncSteps&, Results& all) {
        got = all.at<std::string>(0).substr(49) + std::to_string(all.at<int>(1));
        CHECK(all.size() == 2);
    });
    CHECK(rig.run() == "ok");
    CHECK(got == "x2");
}
