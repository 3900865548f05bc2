#include "commands.hpp"

#include <map>
#include <string_view>
#include <vector>

#include "errors.hpp"
#include "keys.hpp"
#include "limiters.hpp"
#include "lists.hpp"
#include "plugincommand.hpp"
#include "reply.hpp"
#include "session.hpp"
#include "strings.hpp"
#include "text.hpp"

namespace resp {

using steptree::IAsyncSteps;

namespace {

using Body = void (*)(IAsyncSteps& asi, Client& client, const Command& args);

struct Entry {
    Body body;
    /// Arguments with the name; negative: at least so many.
    int arity;
    /// The wait is the client's own wish: its limit is not the server's.
    bool patient = false;
    /// Never refused: who asks how the server is doing, and who leaves.
    bool free = false;
};

void command(IAsyncSteps& asi, Client& client, const Command& args);

const std::map<std::string, Entry, std::less<>> table = {
    {"blpop", {blpop, -3, true}},
    {"client", {client, -2}},
    {"command", {command, -1}},
    {"config", {config, -2}},
    {"del", {del, -2}},
    {"echo", {echo, 2}},
    {"expire", {expire, -3}},
    {"get", {get, 2}},
    {"hello", {hello, -1}},
    {"incr", {incr, 2}},
    {"llen", {llen, 2}},
    {"lpush", {lpush, -3}},
    {"pexpire", {pexpire, -3}},
    {"ping", {ping, -1}},
    {"plugin", {plugin, -2}},
    {"pttl", {pttl, 2}},
    {"quit", {quit, -1, false, true}},
    {"set", {set, -3}},
    {"steptree.flows", {flows, 1, false, true}},
    {"steptree.sleep", {sleep, 2}},
    {"steptree.stats", {stats, 1, false, true}},
    {"ttl", {ttl, 2}},
};

constexpr std::size_t shownBytes = 128;

std::string unknownCommand(const Command& args) {
    std::string shown;
    for (std::size_t i = 1; i < args.size() && shown.size() < shownBytes; ++i) {
        shown += concat({"'", args[i].substr(0, shownBytes - shown.size()), "' "});
    }
    return concat({"unknown command '", args[0].substr(0, shownBytes),
                   "', with args beginning with: ", shown});
}

/// COMMAND [COUNT | DOCS]: clients ask at their start what there is
void command(IAsyncSteps& asi, Client& client, const Command& args) {
    const Plugins& plugins = client.shared.plugins;
    const std::string subcommand = args.size() > 1 ? toLower(args[1]) : "";
    if (subcommand == "count") {
        asi.success(integer(static_cast<std::int64_t>(table.size() + plugins.commands().size())));
    } else if (subcommand == "docs") {
        asi.success(array({}));
    } else if (args.size() > 1) {
        unknownSubcommand(asi, "command", args[1]);
    } else {
        std::vector<std::string> entries = pluginEntries(plugins);
        for (const auto& [name, entry] : table) {
            entries.push_back(array({bulk(name), integer(entry.arity)}));
        }
        asi.success(array(entries));
    }
}

bool fits(const Command& args, int arity) {
    const int count = static_cast<int>(args.size());
    return arity < 0 ? count >= -arity : count == arity;
}

void runEntry(IAsyncSteps& asi, Client& client, const Entry* entry, const Command& args) {
    if (!entry) {
        if (runPlugin(asi, client, args)) return;
        asi.error("ERR", unknownCommand(args));
    }
    if (!fits(args, entry->arity)) wrongArity(asi, toLower(args[0]));
    entry->body(asi, client, args);
}

// The client's own limiter is the outer one: what it refuses costs the others nothing.
template <class Body>
void limited(IAsyncSteps& asi, Client& client, Body body) {
    const std::int64_t commandMs = client.shared.limits.commandMs;
    if (commandMs > 0) asi.setTimeout(commandMs);
    within(asi, client.limiter,
           [&client, body](IAsyncSteps& step) { within(step, client.shared.limiter, body); });
}

}  // namespace

void runCommand(IAsyncSteps& asi, Client& client, const Command& args) {
    const auto found = table.find(toLower(args[0]));
    const Entry* entry = found == table.end() ? nullptr : &found->second;
    const auto run = [&client, entry, &args](IAsyncSteps& step) {
        runEntry(step, client, entry, args);
    };
    if (entry && entry->free) {
        run(asi);
    } else if (entry && entry->patient) {
        // Who waits as he wishes takes no place from those who run.
        asi.add([&client](IAsyncSteps& step) {
            limited(step, client, [](IAsyncSteps& inner) { inner.success(); });
        });
        asi.add(run);
    } else {
        limited(asi, client, run);
    }
}

}  // namespace resp
