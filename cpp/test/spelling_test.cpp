#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/mutex.hpp"
#include "steptree/task.hpp"

using namespace rig;
using steptree::LoopControl;
using steptree::Task;

TEST_CASE("what adders return stands for what they were called on", "[model]") {
    Rig rig;
    std::vector<std::string> seen;
    steptree::Mutex mutex;
    const auto text = std::make_shared<std::string>("text");
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.sync(mutex, [text](IAsyncSteps& s) { s.add([](IAsyncSteps&) {}); })
            .add([text, &seen](IAsyncSteps&) { seen.push_back(*text); })
            .successStep(text)
            .repeat(2, [text, &seen](IAsyncSteps&, std::int64_t) { seen.push_back("again"); })
            .parallel()
            .add([text, &seen](IAsyncSteps&) { seen.push_back("branch"); })
            .add(delay(1));
        IAsyncSteps& same = asi.add([text](IAsyncSteps&) {});
        CHECK(&same == &asi);
    });
    CHECK(rig.run() == "ok");
    CHECK(seen == std::vector<std::string>{"text", "again", "again", "branch"});
    CHECK(text.use_count() == 1);
}

TEST_CASE("the options of a retry that a coroutine awaits live as long as it", "[coroutine]") {
    Rig rig;
    int tries = 0;
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> {
        const auto body = [&](IAsyncSteps& s) {
            if (++tries % 3 != 0) s.error(tries % 3 == 1 ? "Busy" : "Gone");
        };
        co_await asi.add(retry({.max = 3, .backoff = {.base = 5}, .on = {"Busy", "Gone"}}, body));
        steptree::RetryOptions policy{.max = 3, .on = {"Busy", "Gone"}};
        co_await asi.add(retry(policy, body));
        policy.on = {"Busy"};
        co_await asi.add(retry(policy, [&](IAsyncSteps& s) { body(s); }));
    });
    CHECK(rig.run() == "error Gone");
    CHECK(tries == 8);
}

TEST_CASE("a break from outside throws once it has ended the wait", "[loop]") {
    Rig rig;
    int thrown = 0;
    int rounds = 0;
    const auto leaves = [&](auto call) {
        try {
            call();
        } catch (const LoopControl&) {
            ++thrown;
        } catch (const StepError& error) {
            CHECK(error.code() == "InternalError");
            ++thrown;
        }
    };
    rig.flow.loop([&](IAsyncSteps& asi) {
        ++rounds;
        asi.add([&](IAsyncSteps& waiting) {
            waiting.waitExternal();
            rig.tool.immediate([&] {
                if (rounds == 1) leaves([&] { waiting.continueLoop(); });
                if (rounds == 2) leaves([&] { waiting.breakLoop(); });
            });
        });
    });
    CHECK(rig.run() == "ok");
    CHECK(rounds == 2);
    CHECK(thrown == 2);
    rig.flow.add([&](IAsyncSteps& waiting) {
        waiting.waitExternal();
        rig.tool.immediate([&] { leaves([&] { waiting.breakLoop("none"); }); });
    });
    CHECK(rig.run() == "error InternalError");
    CHECK(thrown == 3);
}

TEST_CASE("stack makes aggregates", "[model]") {
    struct Point {
        int x;
        std::string name;
    };
    Rig rig;
    rig.flow.add([](IAsyncSteps& asi) {
        const Point& made = asi.stack<Point>(1, "here");
        CHECK(made.x == 1);
        CHECK(made.name == "here");
        CHECK(asi.stack<Point>().name.empty());
    });
    CHECK(rig.run() == "ok");
}
