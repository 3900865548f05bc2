#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "futures.hpp"
#include "steptree/completeall.hpp"

using namespace futures;
using steptree::completeAll;
using steptree::Completes;

TEST_CASE("completeAll completes all promises that are pending", "[future]") {
    Promise<int> number;
    Promise<std::string> text;
    Promise<std::unique_ptr<int>> box;
    Promise<> none;
    Promise<int, Refusal> other;
    const int five = 5;
    CHECK(completeAll({number, five}, {text, "text"}, {box, std::make_unique<int>(6)}, {none},
                      {other, 7}));
    CHECK(number.future().result() == 5);
    CHECK(text.future().result() == "text");
    CHECK(*box.future().resultRef() == 6);
    CHECK(none.future().isSucceeded());
    CHECK(other.future().result() == 7);
}

TEST_CASE("completeAll completes none if one has settled", "[future]") {
    Promise<int> first;
    Promise<std::string> second;
    Promise<> third;
    std::string text = "stays";
    third.success();
    CHECK_FALSE(completeAll({first, 1}, {second, std::move(text)}, {third}));
    CHECK_FALSE((first.settled() || second.settled()));
    CHECK(text == "stays");
    third = Promise<>();
    third.error("E");
    CHECK_FALSE(completeAll({first, 1}, {third}));
    CHECK(first.success(2));
}

TEST_CASE("a promise that is there twice can't be completed", "[future]") {
    Promise<int> fork;
    Promise<int> other;
    CHECK_FALSE(completeAll({fork, 1}, {other, 2}, {fork, 3}));
    CHECK_FALSE((fork.settled() || other.settled()));
}

TEST_CASE("completeAll takes lists and spans, and nothing", "[future]") {
    std::vector<Promise<int>> promises(20);
    std::vector<Completes> all;
    int value = 4;
    for (Promise<int>& promise : promises) all.emplace_back(promise, value);
    CHECK(completeAll(all));
    for (const Promise<int>& promise : promises) CHECK(promise.future().result() == 4);
    Promise<int> a;
    Promise<> b;
    CHECK(completeAll({{a, 1}, {b}}));
    CHECK(completeAll(std::vector<Completes>()));
    CHECK(codeOf([&] {
              const Promise<int> taken = std::move(a);
              completeAll({a, 1});
          }) == "InternalError");
}

TEST_CASE("no callback runs before all are completed", "[future]") {
    Promise<int> a;
    Promise<int> b;
    std::string log;
    const auto look = [&](int) {
        log += a.settled() && b.settled() ? "both " : "not yet ";
        log += std::to_string(a.future().get() + b.future().get()) + ' ';
    };
    a.future().onSuccess(look);
    b.future().onSuccess(look);
    CHECK(completeAll({b, 1}, {a, 2}));
    CHECK(log == "both 3 both 3 ");
}

TEST_CASE("a value that can't be made leaves all promises as they were", "[future]") {
    struct Picky {
        explicit Picky(int x) {
            if (x < 0) throw StepError("Picky");
        }
    };
    Promise<std::string> text;
    Promise<Picky> picky;
    CHECK(codeOf([&] { completeAll({text, "text"}, {picky, -1}); }) == "Picky");
    CHECK_FALSE((text.settled() || picky.settled()));
    CHECK(completeAll({text, "later"}, {picky, 1}));
    CHECK(text.future().result() == "later");
}

TEST_CASE("threads that race for overlapping promises never share one", "[future][thread]") {
    constexpr int kThreads = 8;
    constexpr int kForks = 8;
    const unsigned seed = testSeed();
    INFO("--rng-seed " << seed);
    for (int round = 0; round < 100; ++round) {
        std::vector<Promise<int>> forks(kForks);
        std::vector<std::vector<int>> wanted(kThreads);
        std::mt19937 numbers(seed + static_cast<unsigned>(round));
        for (std::vector<int>& one : wanted) {
            one = {static_cast<int>(numbers() % kForks)};
            const int second = static_cast<int>(numbers() % kForks);
            const int third = static_cast<int>(numbers() % kForks);
            if (second != one[0]) one.push_back(second);
            if (third != one[0] && third != second) one.push_back(third);
        }
        std::atomic<bool> go = false;
        std::vector<char> ate(kThreads);
        std::vector<std::thread> philosophers;
        for (int i = 0; i < kThreads; ++i) {
            philosophers.emplace_back([&, i] {
                std::vector<Completes> mine;
                for (const int fork : wanted[i]) mine.emplace_back(forks[fork], i);
                while (!go) std::this_thread::yield();
                ate[i] = completeAll(mine) ? 1 : 0;
            });
        }
        go = true;
        for (std::thread& thread : philosophers) thread.join();
        int held = 0;
        for (int i = 0; i < kThreads; ++i) {
            if (ate[i] != 1) {
                bool refused = false;
                for (const int fork : wanted[i]) refused = refused || forks[fork].settled();
                REQUIRE(refused);
                continue;
            }
            held += static_cast<int>(wanted[i].size());
            for (const int fork : wanted[i]) REQUIRE(forks[fork].future().get() == i);
        }
        int settled = 0;
        for (const Promise<int>& fork : forks) settled += fork.settled() ? 1 : 0;
        REQUIRE(settled == held);
    }
}

TEST_CASE("five philosophers at a table never share a fork", "[future][thread]") {
    for (int round = 0; round < 200; ++round) {
        std::vector<Promise<int>> forks(5);
        std::vector<char> ate(5);
        std::vector<std::thread> philosophers;
        for (int i = 0; i < 5; ++i) {
            philosophers.emplace_back([&, i] {
                ate[i] = completeAll({forks[i], i}, {forks[(i + 1) % 5], i}) ? 1 : 0;
            });
        }
        for (std::thread& thread : philosophers) thread.join();
        int meals = 0;
        for (int i = 0; i < 5; ++i) {
            if (ate[i] != 1) continue;
            ++meals;
            REQUIRE(forks[i].future().get() == i);
            REQUIRE(forks[(i + 1) % 5].future().get() == i);
        }
        REQUIRE(meals == 2);  // whoever comes first leaves two of the others a pair
    }
}

TEST_CASE("who sees one of several completed sees all of them completed", "[future][thread]") {
    for (int round = 0; round < 300; ++round) {
        std::vector<Promise<int>> promises(3);
        std::vector<Future<int>> futures;
        for (const Promise<int>& promise : promises) futures.push_back(promise.future());
        std::atomic<bool> torn = false;
        std::vector<std::thread> readers;
        for (int reader = 0; reader < 3; ++reader) {
            readers.emplace_back([&, reader] {
                while (!futures[reader].isCompleted()) {
                }
                for (const Future<int>& future : futures) torn = torn || !future.isCompleted();
            });
        }
        completeAll({promises[0], 1}, {promises[1], 2}, {promises[2], 3});
        for (std::thread& reader : readers) reader.join();
        REQUIRE_FALSE(torn);
    }
}
