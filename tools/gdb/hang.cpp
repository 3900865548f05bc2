// A program whose flows wait for ever, and that then waits itself, or crashes.
#include <cstdlib>
#include <iostream>
#include <string>

#include "steptree/all.hpp"

using namespace steptree;
using namespace std::chrono_literals;

namespace {

/// Nothing of the library stands in it: gdb's breakpoint.
[[gnu::noinline]] void stuck() {
    asm volatile("");
}

}  // namespace

int main(int argc, char** argv) {
    VirtualTool tool;
    const FlightRecorder recorder(tool, {.events = 20});
    Mutex db({.name = "db"});
    const auto charge = step([](IAsyncSteps& asi) { asi.waitExternal(); }).named("charge");
    const auto cart = sync(db, charge).named("cart");
    const auto mails = sync(db, delay(5ms)).named("mails");

    AsyncSteps order(tool, {.name = "order"});
    order.add(all(cart, mails));
    order.execute();

    AsyncSteps poll(tool, {.name = "poll"});
    const auto ask = step([](IAsyncSteps& asi) { asi.add(delay(1h)); }).named("ask");
    poll.loop(ask, "polling");
    poll.execute();

    AsyncSteps limited(tool);
    limited.add([](IAsyncSteps& asi) { asi.setTimeout(1h); }, [](IAsyncSteps&, ErrorCode) {});
    limited.execute();

    Promise<int> prices;
    AsyncSteps asks(tool, {.name = "asks"});
    asks.add([&prices](IAsyncSteps& asi) { asi.await(prices.future()); });
    asks.execute();

    tool.advance(1);
    AsyncSteps soon(tool, {.name = "soon"});
    soon.add([](IAsyncSteps&) {});
    soon.execute();

    std::cout << snapshotText(tool.snapshot()) << std::endl;
    std::cout << recorder.text() << std::endl;
    if (argc > 1 && argv[1] == std::string("abort")) std::abort();
    stuck();
}
