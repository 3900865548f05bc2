#include "steptree/detail/timers.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "catch.hpp"

using steptree::detail::List;
using steptree::detail::TimerNode;
using steptree::detail::Wheel;

namespace {

struct Timer : TimerNode {
    int id = 0;
};

std::vector<int> advance(Wheel& wheel, std::int64_t now) {
    List<TimerNode> expired;
    wheel.advance(now, expired);
    std::vector<int> ids;
    while (TimerNode* node = expired.pop()) ids.push_back(static_cast<Timer*>(node)->id);
    return ids;
}

struct Bench {
    Wheel wheel;
    std::vector<std::unique_ptr<Timer>> timers;

    Timer& add(std::int64_t due) {
        timers.push_back(std::make_unique<Timer>());
        timers.back()->id = static_cast<int>(timers.size()) - 1;
        timers.back()->due = due;
        wheel.add(*timers.back());
        return *timers.back();
    }
};

}  // namespace

TEST_CASE("timers of one due time fire in the order of arming", "[wheel]") {
    Bench b;
    b.add(5000);
    CHECK(advance(b.wheel, 4990).empty());
    b.add(5000);
    b.add(4999);
    CHECK(advance(b.wheel, 4998).empty());
    b.add(5000);
    CHECK(advance(b.wheel, 6000) == std::vector<int>{2, 0, 1, 3});
}

TEST_CASE("a timer that is due at once belongs to the next advance", "[wheel]") {
    Bench b;
    CHECK(advance(b.wheel, 64).empty());
    b.add(64);
    CHECK(b.wheel.next() == 64);
    CHECK(advance(b.wheel, 64) == std::vector<int>{0});
    CHECK(b.wheel.next() == Wheel::kNever);
}

TEST_CASE("the furthest time is reached", "[wheel]") {
    Bench b;
    b.add(Wheel::kNever);
    b.add(Wheel::kNever - 1);
    CHECK(advance(b.wheel, Wheel::kNever - 2).empty());
    CHECK(advance(b.wheel, Wheel::kNever) == std::vector<int>{1, 0});
}

TEST_CASE("next never misses a timer among very many", "[wheel]") {
    Bench b;
    for (int i = 0; i < 100; ++i) b.add(1'000'000 + 37 * (99 - i));
    std::int64_t now = 0;
    int fired = 0;
    int steps = 0;
    while (fired < 100) {
        const std::int64_t next = b.wheel.next();
        REQUIRE(next != Wheel::kNever);
        REQUIRE(next >= now);
        now = next;
        for (int id : advance(b.wheel, now)) {
            CHECK(b.timers[id]->due == now);
            ++fired;
        }
        ++steps;
    }
    CHECK(steps < 110);
}

TEST_CASE("of very many that have gone but for one, next leads there in a few steps", "[wheel]") {
    Bench b;
    for (int i = 0; i < 100; ++i) b.add(1'000'000 + i);
    const std::int64_t crowd = b.wheel.next();
    CHECK(crowd < 1'000'000);
    for (int i = 0; i < 99; ++i) Wheel::remove(*b.timers[i]);
    int steps = 0;
    std::vector<int> fired;
    for (; fired.empty(); ++steps) {
        const std::int64_t next = b.wheel.next();
        REQUIRE(next <= 1'000'099);
        fired = advance(b.wheel, next);
    }
    CHECK(fired == std::vector<int>{99});
    CHECK(steps <= 4);

    // And where it was crowded, few are looked at again.
    b.add(2'000'000);
    CHECK(b.wheel.next() == 2'000'000);
}

TEST_CASE("a place that was crowded and is empty is like any other", "[wheel]") {
    Bench b;
    for (int i = 0; i < 100; ++i) b.add(1'000'000 + i);
    CHECK(b.wheel.next() < 1'000'000);
    for (const auto& timer : b.timers) Wheel::remove(*timer);
    CHECK(b.wheel.next() == Wheel::kNever);
    b.add(1'000'000);
    CHECK(b.wheel.next() == 1'000'000);
}

TEST_CASE("a wheel does what a sorted list does", "[wheel]") {
    const unsigned seed = testSeed();
    INFO("replay: steptree-tests \"a wheel does what a sorted list does\" --rng-seed " << seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 50; ++round) {
        Bench b;
        std::multimap<std::int64_t, int> model;  // keeps the order of insertion for equal keys
        std::int64_t now = 0;
        const int reach = static_cast<int>(random() % 40) + 1;
        for (int i = 0; i < 400; ++i) {
            const std::int64_t some = static_cast<std::int64_t>(random() & ((1ULL << reach) - 1));
            switch (random() % 4) {
                case 0:
                case 1: {
                    const Timer& timer = b.add(now + (random() % 3 == 0 ? some % 7 : some));
                    model.emplace(timer.due, timer.id);
                    break;
                }
                case 2: {
                    if (model.empty()) break;
                    auto victim = model.begin();
                    std::advance(victim, random() % model.size());
                    Wheel::remove(*b.timers[victim->second]);
                    REQUIRE_FALSE(b.timers[victim->second]->armed());
                    model.erase(victim);
                    break;
                }
                case 3: {
                    const std::int64_t first = model.empty() ? Wheel::kNever : model.begin()->first;
                    REQUIRE(b.wheel.next() <= first);
                    now += some;
                    std::vector<int> expected;
                    while (!model.empty() && model.begin()->first <= now) {
                        expected.push_back(model.begin()->second);
                        model.erase(model.begin());
                    }
                    REQUIRE(advance(b.wheel, now) == expected);
                    break;
                }
            }
        }
        List<TimerNode> rest;
        b.wheel.drain(rest);
        std::size_t left = 0;
        while (rest.pop() != nullptr) ++left;
        REQUIRE(left == model.size());
    }
}
