#include <array>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "endof.hpp"

using namespace rig;
using steptree::ErrorCode;
using steptree::detail::Keepable;
using steptree::detail::Returnable;

namespace {

/// What the body after this one gets as its only value.
template <class T, class Body>
T valueOf(Body body) {
    Rig rig;
    T got{};
    rig.flow.add(std::move(body)).add([&got](IAsyncSteps&, T value) { got = std::move(value); });
    CHECK(rig.run() == "ok");
    return got;
}

int twice(IAsyncSteps&, int number) {
    return 2 * number;
}

/// Neither copied nor moved.
struct Fixed {
    Fixed() = default;
    Fixed(const Fixed&) = delete;
    Fixed& operator=(const Fixed&) = delete;
};

/// What a library of others awaits.
struct ByMember {
    std::suspend_always operator co_await() const noexcept { return {}; }
};
struct ByFunction {};
[[maybe_unused]] std::suspend_always operator co_await(const ByFunction&) noexcept {
    return {};
}

}  // namespace

TEST_CASE("what adds steps is no value of the body that returns it", "[model]") {
    const auto text = std::make_shared<int>(1);
    CHECK(endOf([](IAsyncSteps& asi) -> IAsyncSteps& { return asi; }) == "0 values");
    CHECK(endOf([](IAsyncSteps& asi) -> decltype(auto) { return asi.add(plain); }) == "0 values");
    CHECK(endOf([](IAsyncSteps& asi) -> decltype(auto) { return asi.parallel(); }) == "0 values");
    CHECK(endOf([](IAsyncSteps & asi) -> auto& { return asi.parallel().add(plain); }) ==
          "0 values");
    CHECK(endOf([text](IAsyncSteps& asi) -> decltype(auto) {
              return asi.add([text](IAsyncSteps&) {});
          }) == "0 values");
    CHECK(endOf([](IAsyncSteps & asi) -> auto& { return asi.successStep(1, 2); }) == "2 values");
    CHECK(endOf([](IAsyncSteps& asi) { return asi.success(1, 2); }) == "2 values");
    CHECK(endOf([](IAsyncSteps&) {}) == "0 values");
}

TEST_CASE("what a body returns is one value, whatever its type", "[model]") {
    CHECK(valueOf<int>([](IAsyncSteps&) { return 5; }) == 5);
    CHECK(valueOf<bool>([](IAsyncSteps&) { return true; }));
    CHECK(endOf([](IAsyncSteps&) { return false; }) == "1 values");
    CHECK(endOf([](IAsyncSteps&) { return nullptr; }) == "1 values");
    CHECK(*valueOf<std::unique_ptr<int>>([](IAsyncSteps&) { return std::make_unique<int>(5); }) ==
          5);
    using Large = std::array<std::string, 9>;
    CHECK(valueOf<Large>([](IAsyncSteps&) { return Large{"a", "b"}; })[1] == "b");
    using Pair = std::tuple<int, std::string>;
    CHECK(valueOf<Pair>([](IAsyncSteps&) { return Pair(1, "b"); }) == Pair(1, "b"));
    CHECK(valueOf<std::string>([](IAsyncSteps&) { return "text"; }) == "text");
}

TEST_CASE("all kinds of steps take what their body returns", "[model]") {
    Rig rig;
    std::vector<int> got;
    const auto note = [&got](IAsyncSteps&, int value) { got.push_back(value); };
    rig.flow.successStep(4).add(twice).add(note);
    rig.flow.add(shield(5, [](IAsyncSteps&) { return 2; })).add(note);
    rig.flow.add(retry({.max = 2}, [](IAsyncSteps&, std::int64_t attempt) { return attempt; }))
        .add([&got](IAsyncSteps&, std::int64_t attempt) { got.push_back(int(attempt)); });
    rig.flow
        .add(map<int>(std::vector<int>{4, 5}, {.limit = 2}, [](IAsyncSteps&, int n) { return n; }))
        .add([&got](IAsyncSteps&, std::vector<int> all) {
            got.insert(got.end(), all.begin(), all.end());
        });
    rig.flow.add(race([](IAsyncSteps&) { return 6; }, plain));
    rig.flow.add(note);
    rig.flow
        .add([](IAsyncSteps& asi) {
            asi.add([](IAsyncSteps&) { return 1; }).add([](IAsyncSteps&, int n) { return n + 6; });
        })
        .add(note);
    CHECK(rig.run() == "ok");
    CHECK(got == std::vector<int>{8, 2, 1, 4, 5, 6, 7});
}

TEST_CASE("Results that a body returns are all of its values", "[model]") {
    CHECK(endOf([](IAsyncSteps& asi) {
              asi.successStep(1, 2).add(
                  [](IAsyncSteps&, Results& values) { return std::move(values); });
          }) == "2 values");
    CHECK(endOf([](IAsyncSteps&) { return Results(); }) == "0 values");
    CHECK(endOf([](IAsyncSteps& asi) {
              asi.add(plain);
              return Results();
          }) == "0 values");
}

TEST_CASE("what contradicts a returned value fails its step", "[model]") {
    const std::string steps = "InternalError: a value was returned, and steps were added";
    const std::string waits = "InternalError: a value was returned, and waitExternal was called";
    CHECK(endOf([](IAsyncSteps& asi) {
              asi.add(plain);
              return 1;
          }) == steps);
    CHECK(endOf([](IAsyncSteps& asi) {
              asi.waitExternal();
              return 1;
          }) == waits);
    CHECK(endOf([](IAsyncSteps& asi) {
              asi.waitExternal();
              asi.add(plain);
              return 1;
          }) == steps);
    CHECK(endOf([](IAsyncSteps& asi) {
              asi.success(1, 2);
              return 3;
          }) == "2 values");
    CHECK(endOf([](IAsyncSteps& asi) {
              asi.waitExternal().success(1, 2);
              return 3;
          }) == "2 values");
    CHECK(endOf([](IAsyncSteps& asi) {
              asi.setTimeout(5);
              asi.setCancel(plain);
              return 3;
          }) == "1 values");
    CHECK(endOf([](IAsyncSteps& asi) {
              asi.errorNoThrow("Own", "wins");
              return 3;
          }) == "Own: wins");
}

TEST_CASE("a value that can't be made is the step's error", "[model]") {
    struct Throws {
        Throws() = default;
        Throws(const Throws&) { throw StepError("NoCopy"); }
    };
    CHECK(endOf([thrown = std::make_shared<Throws>()](IAsyncSteps&) -> Throws& {
              return *thrown;
          }) == "NoCopy: ");
}

TEST_CASE("iterations and deferred functions return what they like", "[model]") {
    Rig rig;
    const std::string text = "text";
    const auto fixed = [](IAsyncSteps&, auto&&...) { return Fixed(); };
    const auto view = [&text](IAsyncSteps&, auto&&...) { return std::string_view(text); };
    int rounds = 0;
    rig.flow.repeat(2, fixed)
        .repeat(2, view)
        .forEach(std::vector<int>{1}, fixed)
        .loop([&rounds](IAsyncSteps& asi) {
            if (++rounds == 3) asi.breakLoop();
            asi.add(plain);
            return 5;
        })
        .add([&](IAsyncSteps& asi) {
            asi.setCancel(fixed);
            asi.defer([&](IAsyncSteps& deferred) {
                deferred.add(plain);
                return text;
            });
            return 5;
        })
        .add([](IAsyncSteps& asi, int value) { asi.error(value == 5 ? "Five" : "Other"); },
             [](IAsyncSteps& asi, ErrorCode code) { asi.success(std::string(code)); })
        .add([](IAsyncSteps& asi, const std::string& code) { asi.error(code); });
    CHECK(rig.run() == "error Five");
    CHECK(rounds == 3);
}

TEST_CASE("a body that destroys its own flow may return a value", "[model]") {
    VirtualTool tool;
    auto flow = std::make_unique<AsyncSteps>(tool);
    const auto text = std::make_shared<std::string>("text");
    flow->add([&](IAsyncSteps&) {
        flow.reset();
        return text;
    });
    flow->execute();
    tool.run();
    CHECK(text.use_count() == 1);
}

TEST_CASE("a reference that a body returns is copied", "[model]") {
    std::vector<int> numbers{1, 2};
    const auto body = [&numbers](IAsyncSteps&) -> const std::vector<int>& { return numbers; };
    Rig rig;
    rig.flow.add(body).add([&](IAsyncSteps&, std::vector<int>& copy) {
        numbers.clear();
        CHECK(copy == std::vector<int>{1, 2});
    });
    CHECK(rig.run() == "ok");
    const char text[] = "text";
    CHECK(valueOf<std::string>([&text](IAsyncSteps&) -> const char(&)[5] { return text; }) ==
          "text");

    STATIC_REQUIRE(Keepable<const std::string&>);
    STATIC_REQUIRE(Keepable<std::unique_ptr<int>>);
    STATIC_REQUIRE(Keepable<std::unique_ptr<int>&&>);
    STATIC_REQUIRE_FALSE(Keepable<std::unique_ptr<int>&>);
    STATIC_REQUIRE_FALSE(Keepable<const std::unique_ptr<int>>);
    STATIC_REQUIRE_FALSE(Keepable<Results&>);
    STATIC_REQUIRE_FALSE(Keepable<int(&)[3]>);
}

TEST_CASE("what can't be a value of a body doesn't compile", "[model]") {
    STATIC_REQUIRE(Keepable<int>);
    STATIC_REQUIRE(Keepable<Results>);
    STATIC_REQUIRE(Keepable<void (*)()>);
    STATIC_REQUIRE(Keepable<std::shared_ptr<std::string>>);

    STATIC_REQUIRE_FALSE(Keepable<std::string_view>);
    STATIC_REQUIRE_FALSE(Keepable<std::u8string_view&>);
    STATIC_REQUIRE_FALSE(Keepable<std::span<int>>);
    STATIC_REQUIRE_FALSE(Keepable<std::span<int, 2>>);
    STATIC_REQUIRE_FALSE(Keepable<std::initializer_list<int>>);
    STATIC_REQUIRE_FALSE(Keepable<Fixed>);
    STATIC_REQUIRE_FALSE(Keepable<std::atomic<int>>);
    STATIC_REQUIRE(Returnable<std::string_view>);  // of an iteration
    STATIC_REQUIRE(Returnable<Fixed>);

    STATIC_REQUIRE_FALSE(Returnable<IFlow&>);
    STATIC_REQUIRE_FALSE(Returnable<AsyncSteps&>);
    STATIC_REQUIRE_FALSE(Returnable<std::unique_ptr<IFlow>>);
    STATIC_REQUIRE_FALSE(Returnable<std::shared_ptr<AsyncSteps>>);
    STATIC_REQUIRE_FALSE(Returnable<Completion>);
    STATIC_REQUIRE_FALSE(Returnable<const Completion&>);
    STATIC_REQUIRE_FALSE(Returnable<steptree::Handle>);
    STATIC_REQUIRE_FALSE(Returnable<std::future<int>>);
    STATIC_REQUIRE_FALSE(Returnable<std::shared_future<void>>);
    STATIC_REQUIRE_FALSE(Returnable<std::suspend_always>);
    STATIC_REQUIRE_FALSE(Returnable<ByMember>);
    STATIC_REQUIRE_FALSE(Returnable<ByFunction&>);
}
