#include <string>
#include <thread>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/virtualtool.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::Canceller;
using steptree::IAsyncSteps;
using steptree::Outcome;
using steptree::VirtualTool;

TEST_CASE("a canceller leaves a flow alone that its maker fills", "[cancel][thread]") {
    AsyncTool tool;
    for (int i = 0; i < 100; ++i) {
        AsyncSteps flow(tool);
        const Canceller canceller = flow.canceller();
        std::thread other([canceller] {
            for (int k = 0; k < 20; ++k) canceller.cancel();
        });
        int ran = 0;
        for (int k = 0; k < 100; ++k) flow.add([&ran](IAsyncSteps&) { ++ran; });
        other.join();
        flow.promise().get();
        REQUIRE(ran == 100);
    }
}

TEST_CASE("a canceller of an idle flow ends the run that begins before it is used",
          "[cancel][thread]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    const Canceller canceller = flow.canceller();
    std::string end;
    const auto note = [&end](Outcome& outcome) { end = outcome.code + " " + outcome.reason; };
    flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
    std::thread([&] {
        canceller.cancel("early");
        flow.execute(note);
    }).join();
    tool.run();
    CHECK(flow.running());
    std::thread([&] { canceller.cancel("enough"); }).join();
    tool.run();
    CHECK(end == "Canceled enough");
    CHECK_FALSE(flow.running());
}

TEST_CASE("a canceller leaves the runs after its own alone", "[cancel][thread]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    steptree::Completion done;
    const auto wait = [&done](IAsyncSteps& asi) { done = asi.waitExternal(); };
    const auto elsewhere = [](const Canceller& canceller) {
        std::thread([&canceller] { canceller.cancel("late"); }).join();
    };
    flow.add(wait).execute();
    tool.run();
    const Canceller first = flow.canceller();
    elsewhere(first);  // is still on its way when its run ends
    flow.cancel();
    flow.add(wait).execute();
    tool.run();
    CHECK(flow.running());
    elsewhere(first);
    tool.run();
    CHECK(flow.running());
    done.success();
    tool.run();
    REQUIRE_FALSE(flow.running());

    const Canceller third = flow.canceller();
    std::string end;
    flow.add(wait).execute([&](Outcome& outcome) { end = outcome.reason; });
    tool.run();
    elsewhere(first);
    tool.run();
    CHECK(flow.running());
    elsewhere(third);
    tool.run();
    CHECK(end == "late");
}
