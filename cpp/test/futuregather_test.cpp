#include <array>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "catch.hpp"
#include "futures.hpp"

using namespace futures;

namespace {

template <class T>
Future<T> of(T value) {
    return Future<T>::successful(std::move(value));
}

}  // namespace

TEST_CASE("zip waits for all values and flattens tuples", "[future]") {
    Promise<int> first;
    Promise<std::string> second;
    const auto both = first.future().zip(second.future());
    second.success("b");
    CHECK_FALSE(both.isCompleted());
    first.success(1);
    CHECK(both.result() == std::tuple<int, std::string>(1, "b"));
    const Future<std::tuple<int, std::string, bool, int, std::string>> flat =
        both.zip(of(true), Future<>::successful(), both);
    CHECK(flat.result() ==
          std::tuple<int, std::string, bool, int, std::string>(1, "b", true, 1, "b"));
    CHECK(Future<>::successful().zip(Future<>::successful()).result() == std::tuple<>());
}

TEST_CASE("zipValue adds values that are there", "[future]") {
    const Future<std::tuple<int, bool, std::string>> added = of(1).zipValue(true, std::string("x"));
    CHECK(added.result() == std::tuple<int, bool, std::string>(1, true, "x"));
    CHECK(added.zipValue(2).result() == std::tuple<int, bool, std::string, int>(1, true, "x", 2));
    CHECK(Future<>::successful().zipValue(5).result() == std::tuple<int>(5));
    CHECK(Future<int>::failed(Error("E")).zipValue(1).failureReason().code() == "E");
}

TEST_CASE("zip and sequence fail at once, with the first failure", "[future]") {
    Promise<int> pending;
    Promise<int> failing;
    Promise<int> later;
    const auto zipped = pending.future().zip(failing.future(), later.future());
    const auto list =
        Future<int>::sequence(std::vector{pending.future(), failing.future(), later.future()});
    failing.error("First");
    CHECK(zipped.failureReason().code() == "First");
    CHECK(list.failureReason().code() == "First");
    later.error("Second");
    pending.success(1);
    CHECK(zipped.failureReason().code() == "First");
    CHECK(list.failureReason().code() == "First");
}

TEST_CASE("sequence makes a future of a container, in the order of its futures", "[future]") {
    Promise<int> a;
    Promise<int> b;
    const Future<std::list<int>> both = Future<int>::sequence(std::list{a.future(), b.future()});
    b.success(2);
    CHECK_FALSE(both.isCompleted());
    a.success(1);
    CHECK(both.result() == std::list{1, 2});
    CHECK(Future<int>::sequence(std::deque{of(3), of(4)}).result() == std::deque{3, 4});
    CHECK(Future<int>::sequence(std::array{of(3), of(4)}).result() == std::vector{3, 4});
    CHECK(Future<int>::sequence(std::vector<Future<int>>()).result().empty());
}

TEST_CASE("a value of a sequence that is cancelled stays where it is", "[future]") {
    const auto box = Future<std::unique_ptr<int>>::successful(std::make_unique<int>(1));
    Promise<std::unique_ptr<int>> pending;
    const auto both = Future<std::unique_ptr<int>>::sequence(std::vector{box, pending.future()});
    both.cancel();
    pending.success(nullptr);
    CHECK(box.resultRef() != nullptr);
    CHECK(both.failureReason().code() == "Canceled");
}

TEST_CASE("innerMap maps the items of a container", "[future]") {
    const auto twice = [](int x) { return x * 2; };
    CHECK(of(std::vector{1, 2}).innerMap(twice).result() == std::vector{2, 4});
    CHECK(of(std::set{1, 2}).innerMap([](int x) { return -x; }).result() == std::set{-2, -1});
    CHECK(of(std::vector{1}).innerMap([](int x) { return std::to_string(x); }).result() ==
          std::vector<std::string>{"1"});
    CHECK(of(std::map<int, int>{{1, 2}, {3, 4}})
              .innerMap([](const auto& item) { return item.first * item.second; })
              .result() == std::vector{2, 12});
    CHECK(
        of(std::string("ab")).innerMap([](char c) { return static_cast<char>(c + 1); }).result() ==
        "bc");
}

TEST_CASE("innerFilter keeps the items that pass", "[future]") {
    const auto odd = [](int x) { return x % 2 == 1; };
    CHECK(of(std::vector{1, 2, 3}).innerFilter(odd).result() == std::vector{1, 3});
    CHECK(of(std::map<int, int>{{1, 2}, {2, 4}})
              .innerFilter([](const auto& item) { return item.first == 2; })
              .result() == std::map<int, int>{{2, 4}});
    CHECK(
        of(std::vector<bool>{true, false}).innerFilter([](bool b) { return b; }).result().size() ==
        1);
}

TEST_CASE("innerReduce folds from the left", "[future]") {
    const auto join = [](std::string acc, int x) { return acc + std::to_string(x); };
    CHECK(of(std::list{1, 2, 3}).innerReduce(join, std::string("0")).result() == "0123");
    CHECK(of(std::list<int>()).innerReduce(join, std::string("0")).result() == "0");
}

TEST_CASE("innerFlatten makes one container of many", "[future]") {
    CHECK(of(std::vector<std::vector<int>>{{1}, {}, {2, 3}}).innerFlatten().result() ==
          std::vector{1, 2, 3});
    CHECK(of(std::list<std::set<int>>{{2, 1}, {1}}).innerFlatten().result() == std::list{1, 2, 1});
}

TEST_CASE("items that can only be moved go through the inner combinators", "[future]") {
    using Box = std::unique_ptr<int>;
    const auto boxes = [](int n) {
        std::vector<Box> all;
        for (int i = 1; i <= n; ++i) all.push_back(std::make_unique<int>(i));
        return of(std::move(all));
    };
    CHECK(*boxes(2).innerMap([](Box b) { return b; }).resultRef().at(1) == 2);
    CHECK(boxes(2).innerMap([](const Box& b) { return *b; }).result() == std::vector{1, 2});
    CHECK(boxes(3).innerFilter([](const Box& b) { return *b > 1; }).resultRef().size() == 2);
    CHECK(boxes(3).innerReduce([](int acc, Box b) { return acc + *b; }, 0).result() == 6);
    std::vector<std::vector<Box>> nested(2);
    nested[1].push_back(std::make_unique<int>(7));
    CHECK(*of(std::move(nested)).innerFlatten().resultRef().at(0) == 7);
    CHECK(std::move(boxes(1).filter([](const auto&) { return true; }, Error("No"))).get().size() ==
          1);
}

TEST_CASE("the inner combinators leave the container to others", "[future]") {
    const auto texts = of(std::vector<std::string>(2, "a text that is too long for the inside"));
    const auto first = texts.innerMap([](std::string s) { return s; });
    CHECK(first.result() == texts.result());
    CHECK(texts.innerFlatten().result().size() == 76);
}
