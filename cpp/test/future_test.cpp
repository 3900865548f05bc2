#include "steptree/future.hpp"

#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "futures.hpp"

using namespace futures;

TEST_CASE("a future tells what has become of it", "[future]") {
    Promise<int> promise;
    const Future<int> future = promise.future();
    CHECK_FALSE((future.isCompleted() || future.isSucceeded() || future.isFailed()));
    CHECK_FALSE(promise.settled());
    promise.success(5);
    CHECK((future.isCompleted() && future.isSucceeded() && !future.isFailed()));
    CHECK(promise.settled());
    CHECK(future.result() == 5);
    CHECK(&future.resultRef() == &promise.future().resultRef());
    CHECK(codeOf([&] { future.failureReason(); }) == "InternalError");

    const Future<int> failed = Future<int>::failed(StepError("E", "why"));
    CHECK((failed.isCompleted() && !failed.isSucceeded() && failed.isFailed()));
    CHECK(failed.failureReason().code() == "E");
    CHECK(failed.failureReason().info() == "why");
    CHECK(codeOf([&] { failed.result(); }) == "E");
    CHECK(codeOf([&] { failed.resultRef(); }) == "E");
}

TEST_CASE("successful and failed futures have completed", "[future]") {
    CHECK(shown(Future<int>::successful(5)) == "value 5");
    CHECK(shown(Future<>::successful()) == "value");
    CHECK(shown(Future<>::failed(Error("E"))) == "failed E");
    CHECK(*Future<std::unique_ptr<int>>::successful(std::make_unique<int>(3)).resultRef() == 3);
}

TEST_CASE("map changes the value", "[future]") {
    Promise<int> promise;
    const Future<int> same = promise.future().map([](int x) { return x; });
    const Future<std::string> text =
        promise.future().map([](const int& x) { return std::to_string(x); });
    const Future<> none = same.map([](int) {});
    CHECK_FALSE(text.isCompleted());
    promise.success(5);
    CHECK(text.result() == "5");
    CHECK(shown(none) == "value");
    CHECK(shown(none.map([] { return 7; })) == "value 7");
    CHECK(text.map(&std::string::size).result() == 1);
    bool called = false;
    CHECK(shown(Future<int>::failed(Error("E")).map([&](int) { return called = true; })) ==
          "failed E");
    CHECK_FALSE(called);
}

TEST_CASE("flatMap, andThen and andThenValue go on with another future", "[future]") {
    Promise<int> first;
    Promise<int> second;
    int seen = 0;
    const Future<int> flat = first.future().flatMap([&](int x) {
        seen = x;
        return second.future();
    });
    first.success(1);
    CHECK(seen == 1);
    CHECK(shown(flat) == "pending");
    second.success(2);
    CHECK(shown(flat) == "value 2");
    CHECK(shown(flat.flatMap([](int) { return Future<int>::failed(Error("E")); })) == "failed E");
    CHECK(shown(flat.flatMap([](int) { return Future<int>(); })) == "failed InternalError");
    CHECK(shown(flat.andThen([] { return Future<int>::successful(8); })) == "value 8");
    CHECK(shown(flat.andThenValue(9)) == "value 9");
    const Future<int> failed = Future<int>::failed(Error("F"));
    CHECK(shown(failed.flatMap([](int) { return Future<>::successful(); })) == "failed F");
    CHECK(shown(failed.andThen([] { return Future<>::successful(); })) == "failed F");
    CHECK(shown(failed.andThenValue(9)) == "failed F");
}

TEST_CASE("filter fails what does not pass", "[future]") {
    const auto even = [](int x) { return x % 2 == 0; };
    CHECK(shown(Future<int>::successful(4).filter(even, Error("Odd"))) == "value 4");
    CHECK(shown(Future<int>::successful(5).filter(even, Error("Odd"))) == "failed Odd");
    CHECK(shown(Future<int>::failed(Error("E")).filter(even, Error("Odd"))) == "failed E");
    CHECK(shown(Future<>::successful().filter([] { return false; }, Error("No"))) == "failed No");
}

TEST_CASE("recover, recoverWith and recoverValue go on after a failure", "[future]") {
    const Future<int> failed = Future<int>::failed(Error("E"));
    const Future<int> fine = Future<int>::successful(1);
    const auto length = [](const Error& e) { return static_cast<int>(e.code().size()); };
    CHECK(shown(failed.recover(length)) == "value 1");
    CHECK(shown(fine.andThenValue(6).recover(length)) == "value 6");
    CHECK(shown(failed.recoverWith([](const Error&) { return Future<int>::successful(2); })) ==
          "value 2");
    CHECK(shown(failed.recoverWith([](const Error&) { return Future<int>::failed(Error("F")); })) ==
          "failed F");
    CHECK(shown(fine.recoverWith([](const Error&) { return Future<int>(); })) == "value 1");
    CHECK(shown(failed.recoverValue(3)) == "value 3");
    CHECK(shown(fine.recoverValue(3)) == "value 1");
    CHECK(shown(Future<>::failed(Error("E")).recoverValue()) == "value");
    CHECK(shown(Future<>::failed(Error("E")).recover([](const Error&) {})) == "value");
}

TEST_CASE("onSuccess and onFailure call one of the two and give the same future", "[future]") {
    std::vector<std::string> log;
    Promise<int> promise;
    const Future<int> future = promise.future();
    future.onSuccess([&](int x) { log.push_back("value " + std::to_string(x)); })
        .onFailure([&](const Error& e) { log.push_back(e.code()); })
        .onSuccess([&](int) { log.emplace_back("again"); });
    CHECK(log.empty());
    promise.success(1);
    CHECK(log == std::vector<std::string>{"value 1", "again"});
    Future<>::failed(Error("E"))
        .onSuccess([&] { log.emplace_back("wrong"); })
        .onFailure([&](const Error& e) { log.push_back(e.code()); });
    CHECK(log.back() == "E");
}

TEST_CASE("values that can only be moved go through all combinators", "[future]") {
    using Box = std::unique_ptr<int>;
    const auto box = [](int x) { return Future<Box>::successful(std::make_unique<int>(x)); };
    CHECK(box(1).map([](const Box& b) { return *b; }).result() == 1);
    CHECK(*box(2).map([](Box b) { return b; }).resultRef() == 2);
    CHECK(*box(3).flatMap([&](Box b) { return box(*b + 1); }).resultRef() == 4);
    CHECK(*box(4).filter([](const Box& b) { return *b == 4; }, Error("No")).resultRef() == 4);
    CHECK(*box(5).recover([](const Error&) { return Box(); }).resultRef() == 5);
    CHECK(*box(6).recoverWith([&](const Error&) { return box(0); }).get() == 6);
    CHECK(*box(7).andThenValue(std::make_unique<int>(8)).resultRef() == 8);
    CHECK(*box(9).mapFailure([](const Error&) { return Refusal{}; }).resultRef() == 9);
    CHECK(*Future<Box>::failed(Error("E")).recoverValue(std::make_unique<int>(1)).resultRef() == 1);
    CHECK(*std::get<1>(box(1).zip(box(2)).resultRef()) == 2);
    CHECK(*std::get<1>(box(1).zipValue(std::make_unique<int>(3)).resultRef()) == 3);
    const std::vector<Future<Box>> boxes{box(1), box(2)};
    CHECK(*Future<Box>::sequence(boxes).resultRef().at(1) == 2);
}

TEST_CASE("a value that can be copied is never taken from those who also want it", "[future]") {
    const Future<std::string> text =
        Future<std::string>::successful("a text that is too long for the inside");
    const auto take = [](std::string&& own) { return std::string(std::move(own)).size(); };
    CHECK(text.map(take).result() == text.map(take).result());
    CHECK(text.zip(text)
              .map([](auto both) { return std::get<0>(both) == std::get<1>(both); })
              .result());
    CHECK(text.resultRef().size() == 38);
}

TEST_CASE("cancelling a derived future leaves its source alone and its function uncalled",
          "[future]") {
    Promise<int> promise;
    bool hook = false;
    bool called = false;
    promise.onCancel([&] { hook = true; });
    const Future<int> derived = promise.future().map([&](int x) {
        called = true;
        return x;
    });
    derived.cancel();
    CHECK(shown(derived) == "failed Canceled");
    CHECK_FALSE((hook || promise.settled()));
    CHECK(promise.success(1));
    CHECK_FALSE(called);
}

TEST_CASE("what a promise that is dropped was to give fails with Canceled downstream", "[future]") {
    Future<int> derived;
    {
        Promise<int> promise;
        derived = promise.future().map([](int x) { return x; }).map([](int x) { return x; });
    }
    CHECK(shown(derived) == "failed Canceled");
}

TEST_CASE("callbacks run one after another, also those that a callback causes", "[future]") {
    std::vector<std::string> log;
    Promise<int> first;
    Promise<int> second;
    second.future().onSuccess([&](int) { log.emplace_back("second"); });
    first.future().onSuccess([&](int x) {
        log.emplace_back("first begins");
        second.success(x);
        Future<int>::successful(0).onSuccess([&](int) { log.emplace_back("at once"); });
        log.emplace_back("first ends");
    });
    first.success(1);
    CHECK(log == std::vector<std::string>{"first begins", "first ends", "second", "at once"});
}

TEST_CASE("waiting inside of a callback runs what is due on its thread", "[future]") {
    std::string seen;
    Future<int>::successful(1).onSuccess([&](int x) {
        const Future<int> inner = Future<int>::successful(x).map([](int y) { return y + 1; });
        seen = shown(inner) + ", then ";
        seen += std::to_string(inner.map([](int y) { return y * 10; }).get());
    });
    CHECK(seen == "pending, then 20");
}

TEST_CASE("a callback may destroy its promise and its future", "[future]") {
    auto promise = std::make_unique<Promise<int>>();
    auto future = std::make_unique<Future<int>>(promise->future());
    int seen = 0;
    future->onSuccess([&](int) {
        promise.reset();
        future.reset();
    });
    future->onSuccess([&](int x) { seen = x; });
    promise->success(5);
    CHECK(seen == 5);
    future = std::make_unique<Future<int>>(Future<int>::successful(6));
    future->onSettled([&](const Future<int>& settled) {
        future.reset();
        seen = settled.get();
    });
    CHECK(seen == 6);
}

TEST_CASE("combinators of a future without a promise are InternalError", "[future]") {
    const Future<int> none;
    const auto same = [](int x) { return x; };
    CHECK(codeOf([&] { none.map(same); }) == "InternalError");
    CHECK(codeOf([&] { none.isFailed(); }) == "InternalError");
    CHECK(codeOf([&] { none.onFailure([](const Error&) {}); }) == "InternalError");
    CHECK(codeOf([&] { Future<int>::successful(1).zip(none); }) == "InternalError");
    CHECK(codeOf([&] { Future<int>::sequence(std::vector{none}); }) == "InternalError");
    CHECK(codeOf([&] { none.toStd(); }) == "InternalError");
}
