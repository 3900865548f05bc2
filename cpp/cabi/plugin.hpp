#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "code.hpp"
#include "pluginhandle.hpp"
#include "sharedobject.hpp"
#include "steptree/pluginhost.hpp"
#include "steptree/steptree.h"

namespace steptree::cabi {

/// A plug-in that is loaded. All but `phase` never changes.
class Plugin {
  public:
    struct Handler {
        PluginHandler told;
        steptree_body body;
        void* data;
    };

    /// Loads one, and looks at what it says of itself. Throws PluginRefused.
    Plugin(const std::string& path, CopyPlace copy, std::uint64_t generation);
    Plugin(const Plugin&) = delete;
    Plugin& operator=(const Plugin&) = delete;
    /// Unloads it: nothing may be held. Else the code stays, but this goes.
    ~Plugin();

    /// Throws PluginRefused: it may hold something nevertheless. The host is given to it.
    void start(std::unique_ptr<steptree_plugin_host> host);
    void stop() const noexcept;

    const std::string& name() const noexcept { return info_.name; }
    /// Null: it has none of that name.
    const Handler* handler(std::string_view name) const noexcept;
    Code& code() const noexcept { return *code_; }
    Offerer asOfferer() const noexcept { return {info_.generation, code_}; }
    PluginInfo info() const;
    /// What is held of it now.
    void count(PluginInfo& info) const noexcept;

    PluginPhase phase = PluginPhase::serves;

  private:
    void read(const steptree_plugin_info& info);
    void addHandler(const steptree_plugin_handler& handler);
    [[noreturn]] void refuse(const std::string& why) const;

    std::string path_;
    std::unique_ptr<SharedObject> object_;
    const steptree_plugin_info* said_ = nullptr;
    Code* code_ = nullptr;
    PluginInfo info_;
    std::vector<Handler> handlers_;
    std::unique_ptr<steptree_plugin_host> host_;
};

}  // namespace steptree::cabi
