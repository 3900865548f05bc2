// Business logic that knows nothing of its host: no tool, no loop, no library to link to.
#include <stdexcept>
#include <steptree/delay.hpp>
#include <string>

#include "plugin.hpp"

std::uint32_t pluginAbi() {
#ifdef BUILT_FOR_ANOTHER_ABI
    return steptree::kAbi + 1;
#else
    return steptree::kAbi;
#endif
}

#ifndef GREETING
#define GREETING "Hello"
#endif

namespace {

/// Only this plug-in knows how to destroy one.
struct Unwelcome : std::runtime_error {
    using runtime_error::runtime_error;
};

struct Greeted {
    std::string name;
};

}  // namespace

void pluginSteps(steptree::IAsyncSteps& asi) {
    using steptree::IAsyncSteps;
    asi.add(
        [](IAsyncSteps& step) {
            const auto& name = step.state<std::string>("name");
            if (name.empty()) step.error("NoName", "nobody to greet");
            if (name == "Mallory") throw Unwelcome("we don't greet " + name);
            step.state<Greeted>("greeted").name = name;
            step.add(steptree::delay(step.state<int>("hesitate")));
            step.successStep(std::string(GREETING ", ") + name);
        },
        [](IAsyncSteps& step, const std::string& code) {
            if (code == "NoName") step.success(std::string(GREETING ", whoever you are"));
        });
    asi.add([](IAsyncSteps& step, std::string greeting) {
        auto& marks = step.stack<std::string>();
        step.repeat(3, [&marks](IAsyncSteps&, std::int64_t) { marks += '!'; });
        step.add([&marks, greeting = std::move(greeting)](IAsyncSteps& last) {
            last.success(greeting + marks);
        });
    });
}
