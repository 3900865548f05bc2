// Loads plug-ins in C that it has never seen, and runs their steps in flows of its own.
//
//     host NAME PLUGIN.so...
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "plugin.h"
#include "steptree/asyncsteps.hpp"
#include "steptree/chandles.hpp"
#include "steptree/virtualtool.hpp"

namespace {

/// A plug-in that this host can run. Destroying it unmaps its code: everything of it has to be gone
/// then.
class Plugin {
  public:
    explicit Plugin(const char* path) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL), &dlclose) {
        if (library_ == nullptr) throw std::runtime_error(dlerror());
        const char* why = nullptr;
        api_ = steptree_host(symbol<std::uint32_t()>("plugin_abi")(), &why);
        if (api_ == nullptr) throw std::runtime_error(std::string(path) + ": " + why);
        body_ = symbol<std::remove_pointer_t<steptree_body>>("plugin_body");
    }

    /// Adds its steps.
    void addTo(steptree::IFlow& flow) const {
        const steptree_closure closure{body_, const_cast<steptree_api*>(api_), nullptr, nullptr,
                                       nullptr};
        api_->add->named_step(STEPTREE_ADDER(steptree::cHandle(flow)), &closure,
                              STEPTREE_TEXT("plugin"));
    }

  private:
    template <class F>
    F* symbol(const char* name) const {
        void* found = dlsym(library_.get(), name);
        if (found == nullptr) throw std::runtime_error(dlerror());
        return reinterpret_cast<F*>(found);
    }

    std::unique_ptr<void, int (*)(void*)> library_;
    const steptree_api* api_ = nullptr;
    steptree_body body_ = nullptr;
};

std::string greet(const Plugin& plugin, const std::string& name) {
    steptree::VirtualTool tool;
    steptree::AsyncSteps flow(tool);
    flow.state<std::string>("name") = name;
    flow.state<int>("hesitate") = 50;
    plugin.addTo(flow);
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
