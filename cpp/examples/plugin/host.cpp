// Loads plug-ins that it has never seen, and runs their steps in flows of its own.
//
//     host NAME PLUGIN.so...
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "steptree/asyncsteps.hpp"
#include "steptree/virtualtool.hpp"

namespace {

using steptree::IAsyncSteps;

class Plugin {
  public:
    explicit Plugin(const char* path) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL), &dlclose) {
        if (library_ == nullptr) throw std::runtime_error(dlerror());
        const auto abi = symbol<std::uint32_t()>("pluginAbi")();
        if (abi != steptree::kAbi) {
            throw std::runtime_error(std::string(path) + ": built for interface " +
                                     std::to_string(abi) + ", this host has " +
                                     std::to_string(steptree::kAbi));
        }
        steps_ = symbol<void(IAsyncSteps&)>("pluginSteps");
    }

    void steps(IAsyncSteps& asi) const { steps_(asi); }

  private:
    template <class F>
    F* symbol(const char* name) const {
        void* found = dlsym(library_.get(), name);
        if (found == nullptr) throw std::runtime_error(dlerror());
        return reinterpret_cast<F*>(found);
    }

    std::unique_ptr<void, int (*)(void*)> library_;
    void (*steps_)(IAsyncSteps&) = nullptr;
};

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
