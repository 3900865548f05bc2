// The shop of inspector.test.ts: an order hangs in its payment, and others wait for that. Prints
// the URL of its inspector, then does what it reads: `hold` its loop, let it `go`, `close` the
// inspector. An argument: flows may be cancelled.
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <steptree/all.hpp>
#include <steptree/inspector.hpp>
#include <string>

using namespace steptree;

namespace {

StartOptions named(const std::string& name) {
    return {.done = [](Outcome&) {},
            .options = std::make_shared<const Options>(Options{.name = name})};
}

void startShop(Tool& tool, Mutex& db) {
    const auto hang = step([](IAsyncSteps& asi) { asi.waitExternal(); });
    const auto charge = sync(db, hang).named("charge");
    const auto order = steps(delay(1).named("cart"), charge).named("order");
    tool.start(order, named("stuck order"));
    for (const char* const name : {"second", "third"}) tool.start(order, named(name));
    const auto poll = loop([](IAsyncSteps& asi) { asi.add(delay(10).named("rest")); });
    for (int i = 0; i < 8; ++i)
        tool.start(poll.named("poll"), named("poller " + std::to_string(i)));
    const auto fetch = step([](IAsyncSteps& asi) { asi.error("Unreachable"); }).named("fetch");
    const auto hangs = [hang](IAsyncSteps& asi, ErrorCode) { asi.add(hang); };
    tool.start(
        steps(retry({.max = 9, .backoff = {.base = 1}}, fetch).onError(hangs)).named("rates"),
        named("rates"));
}

}  // namespace

int main(int count, char**) {
    Mutex db({.name = "db"});
    AsyncTool tool;
    std::optional<Inspector> inspector(std::in_place, tool,
                                       InspectorOptions{.allowCancel = count > 1});
    startShop(tool, db);
    std::cout << inspector->url() << std::endl;
    std::promise<void> go;
    const auto holds = step([&go](IAsyncSteps&) { go.get_future().get(); });
    for (std::string word; std::cin >> word;) {
        if (word == "hold") tool.start(holds.named("hash"), named("login"));
        if (word == "go") go.set_value();
        if (word == "close") inspector.reset();
    }
}
