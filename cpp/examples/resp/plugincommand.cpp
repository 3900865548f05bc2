#include "plugincommand.hpp"

#include <algorithm>

#include "errors.hpp"
#include "reply.hpp"
#include "text.hpp"

namespace resp {

using steptree::IAsyncSteps;

namespace {

/// A command that isn't done by then waits: until then a client who has closed his side is
/// answered.
constexpr std::int64_t soonMs = 1000;

std::string filesReply(const Plugins& plugins) {
    std::vector<std::string> rows;
    for (const PluginFile& of : plugins.files()) {
        rows.push_back(bulkArray({of.name, of.version, of.file}));
    }
    return array(rows);
}

std::string reload(IAsyncSteps& asi, Plugins& plugins, const std::string& file) {
    const auto& files = plugins.files();
    const bool known = std::any_of(files.begin(), files.end(),
                                   [&](const PluginFile& of) { return of.file == file; });
    if (!known) {
        asi.error("ERR", concat({"'", file.substr(0, 128), "' is no file of --plugin"}));
    }
    const PluginFile& now = plugins.load(file);
    return bulk(concat({now.name, " ", now.version}));
}

}  // namespace

void plugin(IAsyncSteps& asi, Client& client, const Command& args) {
    Plugins& plugins = client.shared.plugins;
    const std::string subcommand = toLower(args[1]);
    const bool reloads = subcommand == "reload";
    if (!reloads && subcommand != "list") unknownSubcommand(asi, "plugin", args[1]);
    if (args.size() != (reloads ? 3 : 2)) wrongArity(asi, concat({"plugin|", subcommand}));
    asi.success(reloads ? reload(asi, plugins, args[2]) : filesReply(plugins));
}

bool runPlugin(IAsyncSteps& asi, Client& client, const Command& args) {
    Plugins& plugins = client.shared.plugins;
    const PluginCommand* const command = plugins.find(args[0]);
    if (!command) return false;
    const std::size_t count = args.size() - 1;
    if (count < command->least || count > command->most) wrongArity(asi, toLower(args[0]));
    auto& soon = asi.stack<steptree::Handle>(
        client.shared.tool.deferred(soonMs, [&client] { client.waits(); }));
    asi.defer([&soon](IAsyncSteps&) { soon.cancel(); });
    plugins.run(asi, *command, args);
    return true;
}

std::vector<std::string> pluginEntries(const Plugins& plugins) {
    std::vector<std::string> entries;
    for (const auto& [name, command] : plugins.commands()) {
        const auto least = static_cast<std::int64_t>(command.least) + 1;
        entries.push_back(
            array({bulk(name), integer(command.least == command.most ? least : -least)}));
    }
    return entries;
}

}  // namespace resp
