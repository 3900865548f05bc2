// Business logic that knows nothing of its host: no tool, no loop, no library to link to.
#include <string>

#include "plugin.hpp"

std::uint32_t pluginAbi() {
#ifdef BUILT_FOR_ANOTHER_ABI
    return steptree::kAbi + 1;
#else
    return steptree::kAbi;
#endif
}

void pluginSteps(steptree::IAsyncSteps& asi) {
    using steptree::IAsyncSteps;
    asi.add(
        [](IAsyncSteps& asi) {
            const auto& name = asi.state<std::string>("name");
            if (name.empty()) asi.error("NoName", "nobody to greet");
            asi.success(std::string("Hello, ") + name);
        },
        [](IAsyncSteps& asi, const std::string& code) {
            if (code == "NoName") asi.success(std::string("Hello, whoever you are"));
        });
    asi.add([](IAsyncSteps& asi, std::string greeting) {
        auto& marks = asi.stack<std::string>();
        asi.repeat(3, [&marks](IAsyncSteps&, std::int64_t) { marks += '!'; });
        asi.add([&marks, greeting = std::move(greeting)](IAsyncSteps& asi) {
            asi.success(greeting + marks);
        });
    });
}
