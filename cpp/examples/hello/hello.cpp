#include <iostream>
#include <steptree/asyncsteps.hpp>
#include <steptree/asynctool.hpp>
#include <string>

using namespace steptree;

void load(IAsyncSteps& asi, Tool& tool, std::string key, int ms) {
    auto done = asi.waitExternal();  // safe to keep, to copy, to call late
    auto& place = asi.state<std::string>(key);
    auto timer = tool.deferred(ms, [=, &place] { place = key + '!', done.success(); });
    asi.setCancel([t = std::move(timer)](IAsyncSteps&) mutable { t.cancel(); });
}

int main() {
    AsyncTool tool;  // has a thread of its own
    AsyncSteps flow(tool);
    flow.add(
        [&](IAsyncSteps& asi) {
            asi.setTimeout(500);  // a deadline for everything below
            auto& both = asi.parallel();
            both.add([&](IAsyncSteps& asi) { load(asi, tool, "user", 20); });
            both.add([&](IAsyncSteps& asi) { load(asi, tool, "cart", 10); });
            asi.add([](IAsyncSteps& asi) {
                asi.success(asi.state<std::string>("user") + ' ' + asi.state<std::string>("cart"));
            });
        },
        [](IAsyncSteps& asi, const std::string& code) {
            if (code == errors::Timeout) asi.success(std::string("try later"));
        });
    std::cout << flow.promise<std::string>().get() << std::endl;
}
