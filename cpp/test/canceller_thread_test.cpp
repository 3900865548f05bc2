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

TEST_CASE("a canceller ends the runs that begin before it is used", "[cancel][thread]") {
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
