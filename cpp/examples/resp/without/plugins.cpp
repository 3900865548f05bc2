// Of a system that has no plug-in host.
#include "../plugins.hpp"

namespace resp {

struct Plugins::Host {};

Plugins::Plugins(steptree::Tool& tool, Store& store) : tool_(tool), store_(store) {}

Plugins::~Plugins() = default;

const PluginFile& Plugins::load(const std::string& file) {
    throw steptree::StepError("PluginRefused", file + ": this system has no plug-in host");
}

const PluginCommand* Plugins::find(const std::string&) const {
    return nullptr;
}

void Plugins::run(steptree::IAsyncSteps&, const PluginCommand&, const Command&) {}

}  // namespace resp
