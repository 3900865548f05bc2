#include <cstdint>
#include <optional>

#include "catch.hpp"
#include "futures.hpp"
#include "smallstack.hpp"

using namespace futures;

namespace {

constexpr std::int64_t kLength = smallstack::kDepth;

Future<std::int64_t> chain(Future<std::int64_t> future) {
    for (std::int64_t i = 0; i < kLength; ++i) {
        future = future.map([](std::int64_t x) { return x + 1; });
    }
    return future;
}

Future<std::int64_t> countdown(std::int64_t left, std::int64_t done) {
    if (left == 0) return Future<std::int64_t>::successful(done);
    return Future<std::int64_t>::successful(left).flatMap(
        [done](std::int64_t n) { return countdown(n - 1, done + 1); });
}

/// Grows at its end: each future is made of one that is pending.
Future<std::int64_t> unwinding(std::int64_t left) {
    if (left == 0) return Future<std::int64_t>::successful(0);
    return Future<>::successful().andThen([left] { return unwinding(left - 1); }).map([](auto n) {
        return n + 1;
    });
}

}  // namespace

TEST_CASE("a chain of a million maps settles in a small stack", "[future][deep]") {
    std::int64_t end = 0;
    smallstack::run([&] {
        Promise<std::int64_t> promise;
        const Future<std::int64_t> last = chain(promise.future());
        promise.success(0);
        end = last.result();
    });
    CHECK(end == kLength);
}

TEST_CASE("a failure passes a million maps in a small stack", "[future][deep]") {
    std::string end;
    smallstack::run([&] {
        Promise<std::int64_t> promise;
        const Future<std::int64_t> last = chain(promise.future());
        promise.error("E");
        end = last.failureReason().code();
    });
    CHECK(end == "E");
}

TEST_CASE("a recursion through flatMap a million deep runs in a small stack", "[future][deep]") {
    std::int64_t end = 0;
    std::int64_t unwound = 0;
    smallstack::run([&] {
        end = countdown(kLength, 0).result();
        unwound = unwinding(kLength).result();
    });
    CHECK(end == kLength);
    CHECK(unwound == kLength);
}

TEST_CASE("callbacks that settle the next promise a million times run in a small stack",
          "[future][deep]") {
    std::int64_t calls = 0;
    smallstack::run([&] {
        std::vector<Promise<>> promises(kLength);
        for (std::size_t i = 0; i + 1 < promises.size(); ++i) {
            promises[i].future().onSettled([&calls, &next = promises[i + 1]](const Future<>&) {
                ++calls;
                next.success();
            });
        }
        promises.front().success();
        promises.back().future().get();
    });
    CHECK(calls == kLength - 1);
}

TEST_CASE("chains of a million futures are destroyed in a small stack", "[future][deep]") {
    std::string dropped;
    smallstack::run([&] {
        std::optional<Promise<std::int64_t>> promise(std::in_place);
        const Future<std::int64_t> last = chain(promise->future());
        promise.reset();
        dropped = shown(last);
    });
    CHECK(dropped == "failed Canceled");
    smallstack::run([&] {
        Promise<std::int64_t> promise;
        chain(promise.future());
        const Future<std::int64_t> nested = unwinding(kLength);
    });
}
