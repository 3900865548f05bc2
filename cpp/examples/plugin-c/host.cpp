// Loads plug-ins in languages that it doesn't know, one after the other, and calls each. They have
// one name, so that each takes the place of the one before.
//
//     host NAME PLUGIN.so...
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "steptree/pluginhost.hpp"
#include "steptree/run.hpp"
#include "steptree/virtualtool.hpp"

int main(int argc, char* argv[]) {
    try {
        if (argc < 3) throw std::runtime_error("usage: host NAME PLUGIN.so...");
        steptree::VirtualTool tool;
        steptree::PluginHost plugins(tool);
        const auto greet = plugins.step("greeter", "greet").timeout(100);
        for (int i = 2; i < argc; ++i) {
            const steptree::PluginInfo loaded = plugins.load(argv[i]);
            const auto call =
                steptree::step([&](steptree::IAsyncSteps& asi) -> steptree::Values<std::string> {
                    asi.add(greet.with(std::string(argv[1]), std::int64_t{50}));
                    return {};  // what the call leaves
                });
            const auto greeting = run(tool, call);
            tool.run();
            std::printf("%s: %s\n", loaded.version.c_str(), greeting.get().c_str());
        }
        std::printf("%zu loaded\n", plugins.list().size());
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
