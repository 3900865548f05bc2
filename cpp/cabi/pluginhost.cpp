#include "steptree/pluginhost.hpp"

#include <utility>

#include "functions.hpp"
#include "pluginapi.hpp"
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
    const auto body = [core = core_, plugin = std::string(plugin), handler = std::string(handler)](
                          IAsyncSteps& asi, const Results& values) {
        // The hold goes with the step, after all that is inside of it.
        const auto& call =
            asi.stack<detail::PluginCore::Call>(core->call(plugin, handler, values.size()));
        cabi::ofPlugin().set(asi, call.hold.code());
        cabi::callWith(const_cast<Results&>(values), call.body, asi, call.data);
    };
    return steptree::step<AnyValues, AnyValues>(body).named(std::string(plugin) + "." +
                                                            std::string(handler));
}

Future<void> PluginHost::unload(std::string_view plugin) {
    return core_->unload(plugin);
}

std::vector<PluginInfo> PluginHost::list() const {
    return core_->list();
}

}  // namespace steptree
