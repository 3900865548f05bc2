// Loads plug-ins that it has never seen, and runs their steps in flows of its own.
//
//     host NAME PLUGIN.so...
#include <cstdio>
#include <stdexcept>
#include <string>

#include "loaded.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/virtualtool.hpp"

namespace {

using steptree::IAsyncSteps;

std::string greet(const Plugin& plugin, const std::string& name) {
    steptree::VirtualTool tool;
    steptree::AsyncSteps flow(tool);
    flow.state<std::string>("name") = name;
    flow.add([&plugin](IAsyncSteps& asi) { plugin.steps(asi); });
    const steptree::Future<std::string> greeting = flow.promise<std::string>();
    tool.run();
    return greeting.get();
}

}  // namespace

int main(int argc, char* argv[]) {
    try {
        if (argc < 3) throw std::runtime_error("usage: host NAME PLUGIN.so...");
        for (int i = 2; i < argc; ++i) {
            const Plugin plugin(argv[i]);
            std::printf("%s\n", greet(plugin, argv[1]).c_str());
        }
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
