#include "session.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "numbers.hpp"
#include "reply.hpp"
#include "steptree/codes.hpp"
#include "steptree/snapshottext.hpp"
#include "text.hpp"

namespace resp {

using steptree::IAsyncSteps;

namespace {

const std::string& checkName(IAsyncSteps& asi, const std::string& name) {
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~'; })) {
        asi.error("ERR", "Client names cannot contain spaces, newlines or special characters.");
    }
    return name;
}

/// Null: there is no such subcommand.
const std::size_t* argumentsOf(const std::string& subcommand) {
    static const std::vector<std::pair<std::string, std::size_t>> subcommands = {
        {"id", 2}, {"getname", 2}, {"setname", 3}, {"setinfo", 4}};
    for (const auto& [name, count] : subcommands) {
        if (name == subcommand) return &count;
    }
    return nullptr;
}

}  // namespace

void ping(IAsyncSteps& asi, Client&, const Command& args) {
    if (args.size() > 2) wrongArity(asi, "ping");
    asi.success(args.size() == 2 ? bulk(args[1]) : pong);
}

void echo(IAsyncSteps& asi, Client&, const Command& args) {
    asi.success(bulk(args[1]));
}

void quit(IAsyncSteps& asi, Client& client, const Command&) {
    client.leaving = true;
    asi.success(ok);
}

void hello(IAsyncSteps& asi, Client& client, const Command& args) {
    std::string name = client.name;
    if (args.size() > 1) {
        const auto version = parseInteger(args[1]);
        if (!version) asi.error("ERR", "Protocol version is not an integer or out of range");
        if (*version != 2) asi.error("NOPROTO", "unsupported protocol version");
    }
    for (std::size_t i = 2; i < args.size(); i += 2) {
        if (toLower(args[i]) != "setname" || i + 1 >= args.size()) {
            asi.error("ERR", concat({"Syntax error in HELLO option '", args[i], "'"}));
        }
        name = checkName(asi, args[i + 1]);
    }
    client.name = name;
    asi.success(array({
        bulk("server"),
        bulk("steptree"),  //
        bulk("version"),
        bulk("0.1.0"),  //
        bulk("proto"),
        integer(2),  //
        bulk("id"),
        integer(static_cast<std::int64_t>(client.id)),  //
        bulk("mode"),
        bulk("standalone"),  //
        bulk("role"),
        bulk("master"),  //
        bulk("modules"),
        array({}),
    }));
}

void client(IAsyncSteps& asi, Client& client, const Command& args) {
    const std::string subcommand = toLower(args[1]);
    const std::size_t* expected = argumentsOf(subcommand);
    if (!expected) unknownSubcommand(asi, "client", args[1]);
    if (args.size() != *expected) wrongArity(asi, concat({"client|", subcommand}));
    if (subcommand == "id") {
        asi.success(integer(static_cast<std::int64_t>(client.id)));
    } else if (subcommand == "getname") {
        asi.success(client.name.empty() ? nullBulk : bulk(client.name));
    } else {
        if (subcommand == "setname") client.name = checkName(asi, args[2]);
        asi.success(ok);
    }
}

void config(IAsyncSteps& asi, Client& client, const Command& args) {
    const Limits& limits = client.shared.limits;
    if (toLower(args[1]) != "get") unknownSubcommand(asi, "config", args[1]);
    if (args.size() < 3) wrongArity(asi, "config|get");
    const std::vector<std::pair<std::string, std::string>> parameters = {
        {"save", ""},
        {"appendonly", "no"},
        {"maxclients", std::to_string(limits.connections)},
        {"proto-max-bulk-len", std::to_string(limits.bulk)},
    };
    std::vector<std::string> found;
    for (const auto& parameter : parameters) {
        const auto asks = [&parameter](const std::string& arg) {
            return arg == "*" || toLower(arg) == parameter.first;
        };
        if (std::none_of(args.begin() + 2, args.end(), asks)) continue;
        found.push_back(bulk(parameter.first));
        found.push_back(bulk(parameter.second));
    }
    asi.success(array(found));
}

void stats(IAsyncSteps& asi, Client& client, const Command&) {
    asi.success(bulk(client.shared.statistics()));
}

void flows(IAsyncSteps& asi, Client& client, const Command&) {
    asi.success(bulk(steptree::snapshotText(client.shared.tool.snapshot())));
}

void sleep(IAsyncSteps& asi, Client& client, const Command& args) {
    const auto seconds = parseDecimal(args[1]);
    if (!seconds || *seconds < 0) asi.error("ERR", "value is not a valid float");
    asi.add(
        [&client, ms = *seconds * 1000](IAsyncSteps& step) {
            step.setTimeout(ms);
            client.waits();
        },
        [](IAsyncSteps& step, const std::string& code) {
            if (code == steptree::errors::Timeout) step.success(ok);
        },
        "sleep");
}

}  // namespace resp
