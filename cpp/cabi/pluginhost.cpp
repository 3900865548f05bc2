#include "steptree/pluginhost.hpp"

#include <utility>

#include "plugincore.hpp"

namespace steptree {

PluginHost::PluginHost(Tool& tool, PluginHostOptions options)
    : core_(std::make_shared<detail::PluginCore>(tool, std::move(options))) {}

PluginHost::~PluginHost() {
    core_->close();
}

PluginInfo PluginHost::load(const std::string& path) {
    return core_->load(path);
}

Step<AnyValues, AnyValues> PluginHost::step(std::string_view plugin,
                                            std::string_view handler) const {
    return core_->step(plugin, handler);
}

Future<void> PluginHost::unload(std::string_view plugin) {
    return core_->unload(plugin);
}

void PluginHost::offer(std::string_view name, Step<AnyValues, AnyValues> service) {
    core_->services()->offer(name, std::move(service), {});
}

void PluginHost::withdraw(std::string_view name) {
    core_->services()->withdraw(name, {});
}

std::vector<PluginInfo> PluginHost::list() const {
    return core_->list();
}

}  // namespace steptree
