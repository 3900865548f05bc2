#pragma once

#include <memory>

#include "services.hpp"
#include "steptree/steptree.h"

namespace steptree::detail {
class PluginCore;
}

/// A host as C has it: one that it has made, or that of a plug-in, which doesn't keep it.
struct steptree_plugin_host {
    std::weak_ptr<steptree::detail::PluginCore> core;
    std::weak_ptr<steptree::cabi::Services> services;
    steptree::cabi::Offerer offerer{};                    // the plug-in whose handle it is
    std::shared_ptr<steptree::detail::PluginCore> own{};  // of one that C has made
    steptree_plugin_host* next = nullptr;                 // of those that are kept for ever
};

namespace steptree::cabi {

/// Of a plug-in that stays in the process for ever.
void keepForEver(std::unique_ptr<steptree_plugin_host> host) noexcept;

}  // namespace steptree::cabi
