#include <iostream>
#include <steptree/asynctool.hpp>
#include <steptree/parallel.hpp>
#include <steptree/run.hpp>
#include <string>
#include <tuple>

using namespace steptree;

auto load(Tool& tool, std::string key, int ms) {
    return step([=, &tool](IAsyncSteps& asi, const std::string& id) -> Values<std::string> {
        auto done = asi.waitExternal();  // safe to keep, to copy, to call late
        auto answer = [done, text = key + " of " + id] { done.success(text); };
        asi.setCancel([t = tool.deferred(ms, answer)](IAsyncSteps&) mutable { t.cancel(); });
        return {};  // the value comes later
    });
}

auto profile(Tool& tool) {
    return steps(all(load(tool, "user", 20), load(tool, "cart", 10)),
                 [](IAsyncSteps&, const std::tuple<std::string, std::string>& both) {
                     return std::get<0>(both) + ", " + std::get<1>(both);
                 })
        .timeout(500)
        .onError([](IAsyncSteps& asi, const std::string& code) {
            if (code == errors::Timeout) asi.success(std::string("try later"));
        });
}

int main() {
    AsyncTool tool;  // has a thread of its own
    const auto described = profile(tool);
    std::cout << run(tool, described.with("Ann")).get() << std::endl;
}
