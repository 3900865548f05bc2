#include <memory>
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "futures.hpp"
#include "rig.hpp"
#include "steptree/failure.hpp"

using namespace futures;

namespace {

struct Broken : std::runtime_error {
    using std::runtime_error::runtime_error;
};

[[noreturn]] int throwing(int) {
    throw std::out_of_range("far");
}

std::string infoOf(const Future<int>& future) {
    return future.failureReason().info();
}

}  // namespace

TEST_CASE("an Error is what a flow can fail with", "[future]") {
    const Error coded("Code", "why", std::make_exception_ptr(Broken("cause")));
    CHECK(coded.code() == "Code");
    CHECK(coded.info() == "why");
    CHECK(codeOf([&] { coded.rethrow(); }) == "Code");
    const Error native(std::make_exception_ptr(Broken("native")));
    CHECK(native.code() == "InternalError");
    CHECK(native.info() == "native");
    CHECK_THROWS_AS(native.rethrow(), Broken);
    CHECK(Error(std::make_exception_ptr(5)).info().empty());
    CHECK(native == Error(native.exception()));
    CHECK_FALSE(native == Error(std::make_exception_ptr(Broken("native"))));
    CHECK(codeOf([] { Error{nullptr}; }) == "InternalError");
    CHECK(codeOf([] { Error{std::exception_ptr()}; }) == "InternalError");
}

TEST_CASE("an exception out of a combinator's function is the failure", "[future]") {
    const Future<int> fine = Future<int>::successful(1);
    const Future<int> failed = Future<int>::failed(Error("E"));
    const auto throwingFuture = [](const auto&) -> Future<int> { throw std::out_of_range("far"); };
    CHECK(infoOf(fine.map(throwing)) == "far");
    CHECK(infoOf(fine.flatMap(throwingFuture)) == "far");
    CHECK(infoOf(fine.andThen([]() -> Future<int> { throw Broken("then"); })) == "then");
    CHECK(infoOf(fine.filter(throwing, Error("No"))) == "far");
    CHECK(infoOf(failed.recover([](const Error&) { return throwing(1); })) == "far");
    CHECK(infoOf(failed.recoverWith(throwingFuture)) == "far");
    const Future<int, Refusal> refused =
        failed.mapFailure([](const Error&) -> Refusal { throw Broken("worse"); });
    CHECK(refused.failureReason() == Refusal{-1, "worse"});
    const Future<std::vector<int>> list = Future<std::vector<int>>::successful(3, 1);
    CHECK(list.innerMap(throwing).failureReason().info() == "far");
    CHECK(list.innerFilter(throwing).failureReason().info() == "far");
    CHECK(infoOf(list.innerReduce([](int, int x) { return throwing(x); }, 0)) == "far");
    struct Uncopied {
        Uncopied() = default;
        Uncopied(const Uncopied&) { throw Broken("copy"); }
    };
    Promise<Uncopied> promise;
    promise.success();
    CHECK(promise.future().zipValue(1).failureReason().info() == "copy");
}

TEST_CASE("futures fail with any type", "[future]") {
    Promise<int, Refusal> promise;
    const Future<int, Refusal> future = promise.future();
    const Future<int, Refusal> mapped = future.map([](int x) { return x; });
    promise.fail(Refusal{5, "no"});
    CHECK(mapped.failureReason() == Refusal{5, "no"});
    CHECK(codeOf([&] { mapped.get(); }) == "Refused");
    CHECK(codeOf([&] { std::rethrow_exception(mapped.error()); }) == "Refused");
    CHECK(mapped.recover([](const Refusal& r) { return r.number; }).result() == 5);
    const Future<int, Refusal> thrown = Future<int, Refusal>::successful(1).map(throwing);
    CHECK(thrown.failureReason() == Refusal{-1, "far"});
    auto dropped = std::make_unique<Promise<int, Refusal>>();
    const Future<int, Refusal> orphan = dropped->future();
    dropped.reset();
    CHECK(orphan.failureReason() == Refusal{-1, "the promise was dropped"});
    Promise<int, Refusal> cancelled;
    cancelled.future().cancel();
    CHECK(cancelled.future().failureReason().number == -1);
    const Future<int> back = mapped.mapFailure([](const Refusal& r) { return Error(r.text); });
    CHECK(shown(back) == "failed no");
    const Future<int, std::exception_ptr> pointer =
        mapped.mapFailure([](const Refusal&) { return std::make_exception_ptr(Broken("bare")); });
    CHECK_THROWS_AS(pointer.get(), Broken);
}

TEST_CASE("a failure that can only be moved is handed on", "[future]") {
    struct Unique {
        std::unique_ptr<int> number;
        explicit Unique(std::exception_ptr) {}
        explicit Unique(int x) : number(std::make_unique<int>(x)) {}
    };
    const auto failed = Future<int, Unique>::failed(Unique(4)).map([](int x) { return x; });
    CHECK(failed.isFailed());
    CHECK(failed.recover([](Unique u) { return *u.number; }).result() == 4);
    CHECK(codeOf([] { Future<int, Unique>::failed(Unique(1)).result(); }) == "InternalError");
}

TEST_CASE("WithFailure fails a transformation from inside of its function", "[future]") {
    using Texts = Future<int, Refusal>;
    const auto refuse = [](int) -> int { return WithFailure<Refusal>(7, "no"); };
    const auto refuseFuture = [](const auto&) -> Texts { return WithFailure<Refusal>(8, "never"); };
    const Texts fine = Texts::successful(1);
    CHECK(fine.map(refuse).failureReason() == Refusal{7, "no"});
    CHECK(fine.flatMap(refuseFuture).failureReason() == Refusal{8, "never"});
    CHECK(fine.map(refuse).recoverWith(refuseFuture).failureReason() == Refusal{8, "never"});
    CHECK(fine.map(refuse)
              .recover([](const Refusal& r) -> int {
                  if (r.number != 7) return -1;
                  return WithFailure<Refusal>(r.number + 1, r.text);
              })
              .failureReason() == Refusal{8, "no"});
    const auto text = fine.map([](int) -> std::string { return WithFailure<Refusal>(9, "text"); });
    CHECK(text.failureReason() == Refusal{9, "text"});
    const auto coded = Future<>::successful().map(
        []() -> std::unique_ptr<int> { return WithFailure<>("MyCode", "why"); });
    CHECK(coded.failureReason().code() == "MyCode");
    CHECK(coded.failureReason().info() == "why");
}

TEST_CASE("a step that awaits fails with what the failure type makes of it", "[future]") {
    rig::Rig rig;
    Promise<int, Refusal> promise;
    rig.flow.await(promise.future());
    rig.tool.immediate([&] { promise.fail(Refusal{3, "no"}); });
    CHECK(rig.run() == "error Refused");
}

TEST_CASE("a step awaits what combinators have made of a flow's future", "[future]") {
    rig::Rig rig;
    std::string seen;
    rig.flow.add([&](steptree::IAsyncSteps& asi) {
        auto inner = newInstance(asi);
        inner->successStep(20);
        asi.await(
            inner->promise<int>().map([](int x) { return x + 1; }).zipValue(std::string("!")));
        asi.add([&seen, flow = std::move(inner)](steptree::IAsyncSteps&,
                                                 std::tuple<int, std::string> both) {
            seen = std::to_string(std::get<0>(both)) + std::get<1>(both);
        });
    });
    CHECK(rig.run() == "ok");
    CHECK(seen == "21!");
}
