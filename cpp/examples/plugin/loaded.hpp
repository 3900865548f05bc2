#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "plugin.hpp"

/// A plug-in that was built for this host's interface. Destroying it unmaps its code: everything of
/// it has to be gone then, see "Plug-ins" in spec/cpp.md.
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
        steps_ = symbol<void(steptree::IAsyncSteps&)>("pluginSteps");
    }

    void steps(steptree::IAsyncSteps& asi) const { steps_(asi); }

  private:
    template <class F>
    F* symbol(const char* name) const {
        void* found = dlsym(library_.get(), name);
        if (found == nullptr) throw std::runtime_error(dlerror());
        return reinterpret_cast<F*>(found);
    }

    std::unique_ptr<void, int (*)(void*)> library_;
    void (*steps_)(steptree::IAsyncSteps&) = nullptr;
};
