#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"
#include "smallstack.hpp"

using namespace rig;
using smallstack::kDepth;

namespace {

/// A chain that a program makes, each with the one before as its cause.
std::exception_ptr chainOf(std::int64_t count) {
    std::exception_ptr last;
    for (std::int64_t i = 0; i < count; ++i) {
        last = std::make_exception_ptr(StepError("E", "", std::move(last)));
    }
    return last;
}

/// Codes from the error's cause to the last one.
std::string causesOf(const StepError& error) {
    std::string codes;
    for (std::exception_ptr at = error.cause(); at != nullptr;) {
        try {
            std::rethrow_exception(at);
        } catch (const StepError& cause) {
            codes += (codes.empty() ? "" : " ") + cause.code();
            if (!cause.info().empty()) codes += "(" + cause.info() + ")";
            at = cause.cause();
        } catch (const std::exception& cause) {
            return codes + " " + cause.what();
        }
    }
    return codes;
}

/// A step whose handler raises an error in the place of the one of the step that it adds ...
struct Wrapping {
    std::int64_t left;

    void operator()(IAsyncSteps& asi) const {
        if (left == 0) return asi.errorNoThrow("Bottom");
        asi.add(Wrapping{left - 1},
                [](IAsyncSteps& in, const std::string&) { in.errorNoThrow("Wrapped"); });
    }
};

}  // namespace

TEST_CASE("a long chain of causes is destroyed without recursion", "[error]") {
    smallstack::run([] {
        chainOf(kDepth);

        Rig made;
        made.flow.add([](IAsyncSteps& asi) { asi.errorNoThrow("E", "", chainOf(kDepth)); },
                      [](IAsyncSteps& asi, const std::string&) { asi.success(); });
        CHECK(made.run() == "ok");

        Rig passed;
        std::exception_ptr last;
        passed.flow.repeat(kDepth, [&](IAsyncSteps& asi, std::int64_t) {
            asi.add([&](IAsyncSteps& in) { in.errorNoThrow("E", "", last); },
                    [&](IAsyncSteps& in, const std::string&) {
                        last = in.state().lastException();
                        in.success();
                    });
        });
        CHECK(passed.run() == "ok");
        last = nullptr;
    });
}

TEST_CASE("a chain of causes may outlive its tool", "[error]") {
    std::exception_ptr last = chainOf(10);
    {
        Rig rig;
        rig.flow.repeat(10, [&](IAsyncSteps& asi, std::int64_t) {
            asi.add([&](IAsyncSteps& in) { in.errorNoThrow("E", "", std::move(last)); },
                    [&](IAsyncSteps& in, const std::string&) {
                        last = in.state().lastException();
                        in.success();
                    });
        });
        CHECK(rig.run() == "ok");
    }
    try {
        std::rethrow_exception(std::exchange(last, nullptr));
    } catch (const StepError& error) {
        CHECK(causesOf(error) == "E E E E E E E E E E E E E E E E E E E");
    }
}

TEST_CASE("an endless retry keeps the memory of a short one", "[flow]") {
    Rig rig;
    std::size_t before = 0;
    std::size_t most = 0;
    const steptree::RetryOptions options{.max = 100'000, .backoff = {.base = 0, .jitter = 0}};
    std::string causes;
    rig.flow.add(
        retry(options,
              [&](IAsyncSteps& asi, std::int64_t attempt) {
                  if (attempt == 1000) before = allocations::bytes();
                  if (attempt > 1000 && attempt % 1000 == 0) {
                      most = std::max(most, allocations::bytes());
                  }
                  asi.add([&](IAsyncSteps& in) { in.errorNoThrow("Busy"); });
              }),
        [&](IAsyncSteps& asi, const std::string&) { causes = causesOf(*asi.state().lastError()); });
    CHECK(rig.run() == "error Busy");
    CHECK(most <= before);
    CHECK(causes == "Busy Busy Busy Busy Busy Busy Omitted(errors left out: 99992) Busy");
}

TEST_CASE("an error that each attempt throws again stays one error", "[flow]") {
    Rig rig;
    const auto native = std::make_exception_ptr(std::runtime_error("reset"));
    std::exception_ptr kept;
    std::string causes;
    rig.flow.add(
        retry({.max = 20, .backoff = {.base = 0, .jitter = 0}},
              [&](IAsyncSteps& asi, std::int64_t attempt) {
                  asi.add(
                      [&, attempt](IAsyncSteps&) {
                          if (attempt > 2) std::rethrow_exception(kept);
                          throw StepError(attempt == 1 ? "First" : "Again");
                      },
                      [&](IAsyncSteps& in, const std::string&) {
                          kept = in.state().lastException();
                      });
              }),
        [&](IAsyncSteps& asi, const std::string&) { causes = causesOf(*asi.state().lastError()); });
    CHECK(rig.run() == "error Again");
    CHECK(causes == "First");
    rig.flow.add(retry({.max = 20, .backoff = {.base = 0, .jitter = 0}, .on = {"InternalError"}},
                       [&](IAsyncSteps&) { std::rethrow_exception(native); }),
                 [&](IAsyncSteps& asi, const std::string&) {
                     CHECK(asi.state().lastException() == native);
                 });
    CHECK(rig.run() == "error InternalError");
}

TEST_CASE("a retry that ends with ok, is cancelled or goes lets go of its errors", "[flow]") {
    for (const int end : {0, 1, 2}) {
        const auto failed = std::make_shared<int>(0);
        const auto told = std::make_exception_ptr(failed);
        {
            Rig rig;
            rig.flow.add(retry({.max = 100, .backoff = {.base = 1, .jitter = 0}},
                               [&](IAsyncSteps& asi, std::int64_t attempt) {
                                   if (attempt < 20) return asi.errorNoThrow("E", "", told);
                                   if (end == 0) return asi.success();
                                   if (end == 1) return static_cast<IFlow&>(rig.flow).cancel();
                                   asi.waitExternal();
                               }));
            rig.flow.execute([](Outcome&) {});
            rig.tool.run();
            CHECK(rig.flow.running() == (end == 2));
        }
        CHECK(failed.use_count() == 2);
    }
}

TEST_CASE("errors of the handlers of 100,000 levels take less than 200 MB", "[error]") {
    constexpr std::int64_t levels = 100'000;
    std::exception_ptr last;
    const std::size_t before = allocations::bytes();
    std::size_t most = 0;
    {
        Rig rig;
        rig.flow.add(Wrapping{levels}, [&](IAsyncSteps& asi, const std::string&) {
            last = asi.state().lastException();
            most = allocations::bytes() - before;
            asi.success();
        });
        CHECK(rig.run() == "ok");
    }
    CHECK(most < 200'000'000);
    std::int64_t seen = 0;
    std::string path;
    while (last != nullptr) {
        try {
            std::rethrow_exception(last);
        } catch (const StepError& error) {
            if (++seen == levels - 99) {
                path = "0";
                for (std::int64_t i = 0; i < seen; ++i) path += "/0";
                CHECK(error.path() == path);
            }
            last = error.cause();
            if (last == nullptr) CHECK(error.path().size() == 2 * levels + 1);
        }
    }
    CHECK(seen == levels + 1);
}

TEST_CASE("paths that share their begin name every kind of step", "[error]") {
    Rig rig;
    std::string expected;
    std::string inner;
    std::string outer;
    std::function<void(IAsyncSteps&, int)> nest = [&](IAsyncSteps& asi, int left) {
        if (left == 0) asi.error("E");
        const std::string name = "s" + std::to_string(left);
        const auto raise = [&, left](IAsyncSteps& in, const std::string&) {
            if (left == 20) inner = in.state().asyncStack();
            if (left == 21) outer = in.state().asyncStack();
            if (left == 20) in.error("Wrapped");
        };
        asi.add(
            [&, left](IAsyncSteps& in) {
                in.repeat(1, [&, left](IAsyncSteps& turn) {
                    auto& branches = turn.parallel();
                    branches.add([](IAsyncSteps&) {});
                    branches.add([&, left](IAsyncSteps& branch) { nest(branch, left - 1); });
                });
            },
            raise, name);
    };
    rig.flow.add([&](IAsyncSteps& asi) { nest(asi, 60); },
                 [](IAsyncSteps& asi, const std::string&) { asi.success(); });
    CHECK(rig.run() == "ok");
    const auto way = [](int to) {
        std::string text = "0";
        for (int left = 60; left >= to; --left) {
            text += "/s" + std::to_string(left);
            if (left > to) text += "/0/#0/0/|1";
        }
        return text;
    };
    CHECK(inner == way(1) + "/0/#0/0/|1");
    CHECK(outer == way(20));
}
