// Swaps a plug-in at run time: what has begun ends with the old one, which is unloaded once nothing
// of it is left; what begins later takes the new one.
//
//     swap OLD.so NEW.so
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loaded.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/virtualtool.hpp"

namespace {

using steptree::IAsyncSteps;

class Service {
  public:
    explicit Service(std::shared_ptr<const Plugin> plugin) : plugin_(std::move(plugin)) {}

    void swapTo(std::shared_ptr<const Plugin> plugin) { plugin_ = std::move(plugin); }

    /// The plug-in stays until the flow is closed; the flow itself may be kept for the next one.
    void greet(std::string name, int hesitate) {
        steptree::AsyncSteps& flow = *flows_.emplace_back(newFlow());
        flow.state<std::string>("name") = std::move(name);
        flow.state<int>("hesitate") = hesitate;
        flow.add(
            [plugin = plugin_.get()](IAsyncSteps& asi) {
                asi.setTimeout(100);
                plugin->steps(asi);
            },
            [](IAsyncSteps& asi, const std::string& code) {
                asi.success("(" + code + " " + asi.state().errorInfo() + ")");
            });
        flow.add([](IAsyncSteps&, std::string greeting) { std::printf("%s\n", greeting.c_str()); });
        flow.execute();
        // Not in `done`, and not with the flow's functions: both go while the plug-in is needed.
        flow.closed().onSettled([&flow, kept = plugin_](const auto&) mutable {
            flow.state().clear();
            kept.reset();
        });
    }

    void run() { tool_.run(); }

  private:
    std::unique_ptr<steptree::AsyncSteps> newFlow() {
        return std::make_unique<steptree::AsyncSteps>(tool_);
    }

    std::shared_ptr<const Plugin> plugin_;
    steptree::VirtualTool tool_;
    std::vector<std::unique_ptr<steptree::AsyncSteps>> flows_;
};

bool isLoaded(const char* path) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (library != nullptr) dlclose(library);
    return library != nullptr;
}

}  // namespace

int main(int argc, char* argv[]) {
    try {
        if (argc != 3) throw std::runtime_error("usage: swap OLD.so NEW.so");
        Service service(std::make_shared<Plugin>(argv[1]));
        service.greet("Ada", 50);
        service.greet("Mallory", 50);  // throws what only the plug-in knows
        service.greet("Sleepy", 500);  // times out
        service.swapTo(std::make_shared<Plugin>(argv[2]));
        service.greet("Grace", 10);
        std::printf("the old one is %s\n", isLoaded(argv[1]) ? "loaded" : "gone");
        service.run();
        std::printf("the old one is %s\n", isLoaded(argv[1]) ? "loaded" : "gone");
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
