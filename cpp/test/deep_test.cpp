#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "catch.hpp"
#include "rig.hpp"
#include "smallstack.hpp"

using namespace rig;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::int64_t kLevels = 500;
#else
constexpr std::int64_t kLevels = 10'000;
#endif
using smallstack::kDepth;

/// A step that adds a step that adds a step ... `bottom` is the last one's.
struct Nested {
    std::int64_t left;
    std::function<void(IAsyncSteps&)>* bottom;

    void operator()(IAsyncSteps& asi) const {
        if (left == 0) return (*bottom)(asi);
        asi.add(Nested{left - 1, bottom});
    }
};

}  // namespace

TEST_CASE("a million nested levels run", "[deep]") {
    std::string end;
    int reached = 0;
    smallstack::run([&] {
        Rig rig;
        std::function<void(IAsyncSteps&)> bottom = [&](IAsyncSteps&) { ++reached; };
        rig.flow.add(Nested{kDepth, &bottom});
        end = rig.run();
    });
    CHECK(end == "ok");
    CHECK(reached == 1);
}

TEST_CASE("ten million steps in a row run", "[deep]") {
    std::int64_t ran = 0;
    std::string end;
    smallstack::run([&] {
        Rig rig;
        rig.flow.repeat(kLevels, [&](IAsyncSteps& asi) {
            for (int i = 0; i < 1000; ++i) asi.add([&](IAsyncSteps&) { ++ran; });
        });
        end = rig.run();
    });
    CHECK(end == "ok");
    CHECK(ran == kLevels * 1000);
}

TEST_CASE("a million nested levels unwind, cancel and are destroyed without recursion", "[deep]") {
    std::string failed;
    std::string cancelled;
    int handlers = 0;
    smallstack::run([&] {
        Rig rig;
        std::function<void(IAsyncSteps&)> bottom = [](IAsyncSteps& asi) { asi.error("X"); };
        rig.flow.add(Nested{kDepth, &bottom});
        failed = rig.run();

        bottom = [&](IAsyncSteps& asi) { asi.setCancel([&](IAsyncSteps&) { ++handlers; }); };
        rig.flow.add(Nested{kDepth, &bottom});
        rig.flow.execute([&](Outcome& outcome) { cancelled = outcome.code; });
        rig.tool.run();
        rig.flow.cancel();
        rig.tool.run();

        std::optional<AsyncSteps> other(rig.tool);
        other->add(Nested{kDepth, &bottom});
        other->execute();
        rig.tool.run();
        other.reset();
    });
    CHECK(failed == "error X");
    CHECK(cancelled == "Canceled");
    CHECK(handlers == 2);
}

TEST_CASE("parallels nest as deep as memory allows", "[deep]") {
    std::string end;
    smallstack::run([&] {
        struct Branching {
            int left;
            void operator()(IAsyncSteps& asi) const {
                if (left == 0) asi.error("X");
                asi.parallel().add(Branching{left - 1}).add([](IAsyncSteps& sibling) {
                    sibling.waitExternal();
                });
            }
        };
        Rig rig;
        rig.flow.add(Branching{10'000});
        end = rig.run();
    });
    CHECK(end == "error X");
}

TEST_CASE("errors that have joined each other are destroyed without recursion", "[error][deep]") {
    std::int64_t joined = 0;
    smallstack::run([&] {
        Rig rig;
        std::exception_ptr last;
        for (std::int64_t i = 0; i < kDepth / 10; ++i) {
            rig.flow.add([before = std::exchange(last, nullptr)](IAsyncSteps& asi) {
                if (before != nullptr) {
                    asi.defer([before](IAsyncSteps&) { std::rethrow_exception(before); });
                }
                asi.error("E");
            });
            rig.flow.execute([&last](Outcome& outcome) { last = outcome.error; });
            rig.tool.run();
        }
        try {
            std::rethrow_exception(last);
        } catch (const StepError& error) {
            for (auto at = error.also(); !at.empty(); at = at.front().also()) ++joined;
        }
    });
    CHECK(joined == kDepth / 10 - 1);
}
