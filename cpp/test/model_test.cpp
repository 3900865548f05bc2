#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

TEST_CASE("adders return what they were called on", "[model]") {
    Rig rig;
    steptree::Promise<int> promise;
    IFlow& flow = rig.flow;
    const auto body = [](IAsyncSteps&) {};
    const auto each = [](IAsyncSteps&, std::size_t, int&) {};
    CHECK(&flow.add(body) == &flow);
    CHECK(&flow.repeat(0, body).forEach(std::vector<int>{}, each).relinquish() == &flow);
    CHECK(&flow.loop([](IAsyncSteps& asi) { asi.breakLoop(); }).successStep(1) == &flow);
    CHECK(&flow.await(promise.future(),
                      [](IAsyncSteps& asi, steptree::ErrorCode) { asi.success(); }) == &flow);
    promise.success(1);
    flow.add([&](IAsyncSteps& asi) {
        CHECK(&asi.add(body).repeat(0, body).relinquish().successStep() == &asi);
        IParallel& parallel = asi.parallel();
        CHECK(&parallel.add(body).repeat(1, body).forEach(std::vector<int>{1}, each) == &parallel);
    });
    CHECK(rig.run() == "ok");
}

TEST_CASE("the exception that the standing latch threw is not a new error", "[model]") {
    Rig rig;
    std::vector<std::string> seen;
    rig.flow.add(
        [](IAsyncSteps& asi) {
            try {
                asi.error("X", "why");
            } catch (const StepError&) {
                throw;
            }
        },
        [&](IAsyncSteps& asi, steptree::ErrorCode code) {
            const StepError& error = *asi.state().lastError();
            seen = {std::string(code), error.info(), error.path()};
            CHECK(error.also().empty());
            CHECK(error.cause() == nullptr);
        });
    CHECK(rig.run() == "error X");
    CHECK(seen == std::vector<std::string>{"X", "why", "0"});
}

TEST_CASE("an exception of a replaced latch that leaves the body is latched again", "[model]") {
    Rig rig;
    rig.flow.add([](IAsyncSteps& asi) {
        std::exception_ptr first;
        try {
            asi.error("A");
        } catch (const StepError&) {
            first = std::current_exception();
        }
        asi.errorNoThrow("B");
        std::rethrow_exception(first);
    });
    CHECK(rig.run() == "error A");

    rig.flow.loop([](IAsyncSteps& asi) {
        std::exception_ptr signal;
        try {
            asi.breakLoop();
        } catch (const steptree::LoopControl&) {
            signal = std::current_exception();
        }
        asi.errorNoThrow("B");
        std::rethrow_exception(signal);
    });
    CHECK(rig.run() == "ok");
}

TEST_CASE("the info of a bad argument names what was expected and what came", "[model]") {
    Rig rig;
    std::string info;
    rig.flow.add([&](IAsyncSteps& asi) {
        try {
            asi.setTimeout(-1);
        } catch (const StepError& e) {
            info = e.info();
        }
    });
    CHECK(rig.run() == "ok");
    CHECK(info.find("at least 0") != std::string::npos);
    CHECK(info.find("-1") != std::string::npos);
    CHECK(codeOf([&] { AsyncSteps(rig.tool, {.burst = 0, .unhandled = {}, .report = {}}); }) ==
          "InternalError");
}

TEST_CASE("a flow with a state has the burst of any other", "[model]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    AsyncSteps other(tool);
    std::string log;
    flow.state().set("key", 1);
    for (int i = 0; i < 3; ++i) flow.add([&log](IAsyncSteps&) { log += 'a'; });
    other.add([&log](IAsyncSteps&) { log += 'b'; });
    flow.execute();
    other.execute();
    tool.run();
    CHECK(log == "aaab");
}

namespace {
void plainFunction(IAsyncSteps& asi, const std::string& text) {
    asi.success(text + "!");
}
}  // namespace

TEST_CASE("a value that is set again stays where it is, one of another type doesn't", "[model]") {
    Rig rig;
    auto& text = rig.flow.state<std::string>("k", std::string(100, 'a'));
    CHECK(&rig.flow.state().set("k", std::string(200, 'b')) == &text);
    CHECK(text == std::string(200, 'b'));
    rig.flow.state().set("k", text);
    CHECK(text.size() == 200);
    auto& number = rig.flow.state().set("k", 5);
    rig.flow.state().set("k", 6);
    CHECK(number == 6);
    struct Fixed {
        const int value;
    };
    rig.flow.state().set("k", Fixed{7});
    CHECK(rig.flow.state().set("k", Fixed{8}).value == 8);
    CHECK(rig.flow.state().find<Fixed>("k")->value == 8);
    CHECK(codeOf([&] { rig.flow.state<int>("k"); }) == "InternalError");
}

TEST_CASE("bodies get the accessor and values, handlers the accessor and the code", "[model]") {
    Rig rig;
    std::vector<std::string> seen;
    rig.flow.add([](IAsyncSteps& asi) { asi.success("text", 5, 'c', 2.5); })
        .add([&](IAsyncSteps& asi, std::string text, int i, char c, double d) {
            seen = {text, std::to_string(i), std::string(1, c), std::to_string(int(d * 10))};
            asi.success("again");
        })
        .add(plainFunction)
        .add(std::function<void(IAsyncSteps&, std::string &&)>(
                 [&](IAsyncSteps& asi, std::string&& text) {
                     seen.push_back(text);
                     asi.error("X");
                 }),
             [&](IAsyncSteps&, const std::string& code) { seen.push_back(code); })
        .add([](IAsyncSteps&) {});
    CHECK(rig.run() == "error X");
    rig.flow.add([](IAsyncSteps& asi) { asi.error("Y"); },
                 [&](IAsyncSteps& asi, std::string_view code) {
                     seen.emplace_back(code);
                     asi.success();
                 });
    CHECK(rig.run() == "ok");
    CHECK(seen == std::vector<std::string>{"text", "5", "c", "25", "again!", "X", "Y"});
}

TEST_CASE("an accessor converts to bool as valid tells", "[model]") {
    Rig rig;
    std::vector<bool> seen;
    rig.flow.add([&](IAsyncSteps& outer) {
        seen.push_back(static_cast<bool>(outer));
        outer.add([&](IAsyncSteps& inner) {
            seen.push_back(static_cast<bool>(outer));
            seen.push_back(static_cast<bool>(inner));
        });
    });
    CHECK(rig.run() == "ok");
    CHECK(seen == std::vector<bool>{true, false, true});
}
