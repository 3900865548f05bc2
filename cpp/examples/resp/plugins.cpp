#include "plugins.hpp"

#include <algorithm>
#include <utility>

#include "pluginreply.hpp"
#include "services.hpp"
#include "steptree/pluginhost.hpp"
#include "text.hpp"

namespace resp {

using steptree::IAsyncSteps;
using steptree::PluginHost;

/// What is loaded, and the keys as it sees them.
struct Plugins::Host {
    Host(steptree::Tool& tool, Store& store) : plugins(tool) { offerKeys(plugins, store); }

    PluginHost plugins;
};

namespace {

/// Of commands that are the server's own.
constexpr std::string_view ownName = "steptree";

[[noreturn]] void refuseFile(const std::string& file, std::string_view why) {
    throw steptree::StepError(PluginHost::kRefused, concat({file, ": ", why}));
}

template <class Step, std::size_t... i>
void addWith(IAsyncSteps& asi, const Step& step, const Command& args, std::index_sequence<i...>) {
    asi.add(step.with(bytesOf(args[i + 1])...));
}

}  // namespace

Plugins::Plugins(steptree::Tool& tool, Store& store) : tool_(tool), store_(store) {}

Plugins::~Plugins() = default;

const PluginFile& Plugins::load(const std::string& file) {
    if (!host_) host_ = std::make_unique<Host>(tool_, store_);
    PluginHost& plugins = host_->plugins;
    const steptree::PluginInfo loaded = plugins.load(file);
    const auto is = [&](auto member, const std::string& text) {
        return std::find_if(files_.begin(), files_.end(),
                            [&](const PluginFile& known) { return known.*member == text; });
    };
    if (toLower(loaded.name) == ownName) {
        plugins.unload(loaded.name);
        refuseFile(file, "commands that begin with 'steptree.' are the server's own");
    }
    const auto other = is(&PluginFile::name, loaded.name);
    if (other != files_.end() && other->file != file) giveBack(*other, file);
    auto own = is(&PluginFile::file, file);
    if (own == files_.end()) own = files_.insert(own, {file, loaded.name, {}});
    if (own->name != loaded.name) plugins.unload(own->name);
    *own = {file, loaded.name, loaded.version};
    list();
    return *own;
}

const PluginCommand* Plugins::find(const std::string& name) const {
    const auto found = commands_.find(toLower(name));
    return found == commands_.end() ? nullptr : &found->second;
}

void Plugins::run(IAsyncSteps& asi, const PluginCommand& command, const Command& args) {
    const auto step = host_->plugins.step(command.plugin, command.handler);
    switch (args.size() - 1) {
        case 0:
            addWith(asi, step, args, std::make_index_sequence<0>());
            break;
        case 1:
            addWith(asi, step, args, std::make_index_sequence<1>());
            break;
        case 2:
            addWith(asi, step, args, std::make_index_sequence<2>());
            break;
        case 3:
            addWith(asi, step, args, std::make_index_sequence<3>());
            break;
        default:
            addWith(asi, step, args, std::make_index_sequence<4>());
            break;
    }
    asi.add([](IAsyncSteps& reply, steptree::Results& left) { reply.success(replyOf(left)); });
}

// A file has taken the name of another one: that is loaded again, for it is still there.
void Plugins::giveBack(PluginFile& other, const std::string& file) {
    try {
        other.version = host_->plugins.load(other.file).version;
    } catch (const steptree::StepError& error) {
        const std::string name = other.name;
        host_->plugins.unload(name);
        files_.erase(files_.begin() + (&other - files_.data()));
        list();
        refuseFile(file, concat({"'", name, "' is the name of ", error.info(), ", too"}));
    }
    list();
    refuseFile(file, concat({"its name '", other.name, "' is that of ", other.file, ", too"}));
}

void Plugins::list() {
    commands_.clear();
    for (const steptree::PluginInfo& plugin : host_->plugins.list()) {
        if (plugin.phase != steptree::PluginPhase::serves) continue;
        for (const steptree::PluginHandler& known : plugin.handlers) {
            const std::string name = toLower(concat({plugin.name, ".", known.name}));
            commands_.try_emplace(name,
                                  PluginCommand{plugin.name, known.name, known.least, known.most});
        }
    }
}

}  // namespace resp
