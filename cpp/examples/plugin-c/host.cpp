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

namespace {

/// A service, which plug-ins may call.
std::string greetingFor(steptree::IAsyncSteps&, const std::string& language) {
    if (language == "de") return "Hallo";
    if (language == "fr") return "Bonjour";
    throw steptree::StepError("NoLanguage", language);
}

}  // namespace

int main(int argc, char* argv[]) {
    try {
        if (argc < 3) throw std::runtime_error("usage: host NAME PLUGIN.so...");
        steptree::VirtualTool tool;
        steptree::PluginHost plugins(tool);
        plugins.offer("greeting.for", steptree::step(&greetingFor));
        const auto greet = plugins.step<std::string>("greeter", "greet").timeout(100);
        const auto welcome = plugins.step<std::string>("greeter", "welcome");
        const std::string name = argv[1];
        for (int i = 2; i < argc; ++i) {
            const steptree::PluginInfo loaded = plugins.load(argv[i]);
            const auto greeting = run(tool, greet.with(name, std::int64_t{50}));
            const auto french = run(tool, welcome.with(name, std::string("fr")));
            tool.run();
            std::printf("%s: %s %s\n", loaded.version.c_str(), greeting.get().c_str(),
                        french.get().c_str());
        }
        std::printf("%zu loaded\n", plugins.list().size());
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
