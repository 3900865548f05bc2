#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "futures.hpp"

using namespace futures;

namespace {

using Numbers = std::mt19937;
using Function = std::function<int(int)>;
using Kleisli = std::function<Future<int>(int)>;

int wrapped(std::int64_t x) {
    return static_cast<int>(static_cast<std::uint32_t>(x) & 0xffff);
}

Function randomFunction(Numbers& numbers) {
    const int a = static_cast<int>(numbers() % 1000);
    const int b = static_cast<int>(numbers() % 1000);
    switch (numbers() % 4) {
        case 0:
            return [=](int x) { return wrapped(std::int64_t{x} * a + b); };
        case 1:
            return [=](int x) { return wrapped(x ^ a); };
        case 2:
            return [=](int x) -> int {
                if (x % 7 == b % 7) throw StepError("Thrown", std::to_string(x));
                return x;
            };
        default:
            return [=](int) { return a; };
    }
}

/// Promises that are settled when all is set up, in a random order.
struct Later {
    Numbers& numbers;
    std::vector<std::function<void()>> settlements{};

    Future<int> future(int value) {
        if (numbers() % 2 == 0) return Future<int>::successful(value);
        auto promise = std::make_shared<Promise<int>>();
        settlements.push_back([promise, value] { promise->success(value); });
        return promise->future();
    }
    void settle() {
        while (!settlements.empty()) {
            std::swap(settlements[numbers() % settlements.size()], settlements.back());
            const auto settlement = std::move(settlements.back());
            settlements.pop_back();
            settlement();
        }
    }
};

Kleisli randomKleisli(Later& later) {
    const Function f = randomFunction(later.numbers);
    switch (later.numbers() % 3) {
        case 0:
            return [f](int x) { return Future<int>::successful(x).map(f); };
        case 1:
            return [](int x) { return Future<int>::failed(Error("Failed", std::to_string(x))); };
        default:
            return [f, &later](int x) { return later.future(f(x)); };
    }
}

Future<int> randomFuture(Later& later) {
    if (later.numbers() % 8 == 0) return Future<int>::failed(Error("Source"));
    return later.future(static_cast<int>(later.numbers() % 1000));
}

std::string outcome(const Future<int>& future) {
    REQUIRE(future.isCompleted());
    if (future.isSucceeded()) return std::to_string(future.result());
    return future.failureReason().code() + ' ' + future.failureReason().info();
}

template <class Law>
void check(Law law) {
    const unsigned seed = testSeed();
    INFO("--rng-seed " << seed);
    Numbers numbers(seed);
    for (int round = 0; round < 1000; ++round) {
        Later later{numbers};
        const auto [left, right] = law(later);
        later.settle();
        REQUIRE(outcome(left) == outcome(right));
    }
}

using Sides = std::pair<Future<int>, Future<int>>;

}  // namespace

TEST_CASE("map keeps identity and composition", "[future]") {
    check([](Later& later) {
        const Future<int> m = randomFuture(later);
        return Sides(m.map([](int x) { return x; }), m);
    });
    check([](Later& later) {
        const Future<int> m = randomFuture(later);
        const Function f = randomFunction(later.numbers);
        const Function g = randomFunction(later.numbers);
        return Sides(m.map(f).map(g), m.map([=](int x) { return g(f(x)); }));
    });
}

TEST_CASE("flatMap has units on both sides and is associative", "[future]") {
    check([](Later& later) {
        const int x = static_cast<int>(later.numbers() % 1000);
        const Kleisli f = randomKleisli(later);
        const auto called = [&]() -> Future<int> {
            try {
                return f(x);
            } catch (const StepError& e) {
                return Future<int>::failed(e);
            }
        };
        return Sides(Future<int>::successful(x).flatMap(f), called());
    });
    check([](Later& later) {
        const Future<int> m = randomFuture(later);
        return Sides(m.flatMap([](int x) { return Future<int>::successful(x); }), m);
    });
    check([](Later& later) {
        const Future<int> m = randomFuture(later);
        const Kleisli f = randomKleisli(later);
        const Kleisli g = randomKleisli(later);
        return Sides(m.flatMap(f).flatMap(g), m.flatMap([=](int x) { return f(x).flatMap(g); }));
    });
}

TEST_CASE("map is flatMap with a value", "[future]") {
    check([](Later& later) {
        const Future<int> m = randomFuture(later);
        const Function f = randomFunction(later.numbers);
        return Sides(m.map(f), m.flatMap([=](int x) { return Future<int>::successful(f(x)); }));
    });
}
