#include "options.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <variant>

#include "numbers.hpp"
#include "text.hpp"

namespace resp {

namespace {

void set(Limits& limits, const Limit& limit, std::int64_t value) {
    const auto assign = [&](auto member) {
        using Member = std::decay_t<decltype(limits.*member)>;
        limits.*member = static_cast<Member>(value);
    };
    std::visit(assign, limit.member);
}

std::string get(const Limits& limits, const Limit& limit) {
    const auto read = [&](auto member) { return std::to_string(limits.*member); };
    return std::visit(read, limit.member);
}

/// Null: there is no such limit.
const Limit* findLimit(std::string_view option) {
    for (const Limit& limit : limitTable()) {
        if (option == concat({"--", limit.name})) return &limit;
    }
    return nullptr;
}

/// What is wrong with the option and its value; empty: nothing.
std::string readOption(Options& options, std::string_view name, std::string_view text) {
    if (name == "--plugin") {
        if (text.empty()) return "--plugin needs a file";
        options.plugins.emplace_back(text);
        return {};
    }
    const auto value = parseInteger(text);
    if (!value || *value < 0 || *value > std::numeric_limits<std::int32_t>::max()) {
        return concat({name, " needs a number"});
    }
    if (*value == 0 && name.ends_with("PeriodMs")) return concat({name, " needs a number above 0"});
    const Limit* limit = findLimit(name);
    if (name == "--port") {
        options.port = static_cast<std::uint16_t>(*value);
    } else if (limit) {
        set(options.limits, *limit, *value);
    } else {
        return concat({"unknown option ", name});
    }
    return {};
}

std::string line(std::string option, std::string_view words) {
    option.resize(std::max<std::size_t>(option.size(), 24), ' ');
    return concat({"  ", option, words, "\n"});
}

}  // namespace

Options readOptions(const std::vector<std::string>& args) {
    Options options;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const std::string& name = args[i];
        if (name == "--help") {
            options.help = true;
        } else if (name == "--until-stdin-ends") {
            options.untilStdinEnds = true;
        } else if (name == "--inspect") {
            options.inspect = true;
        } else {
            i += 1;
            options.error = readOption(options, name, i < args.size() ? args[i] : "");
            if (!options.error.empty()) return options;
        }
    }
    return options;
}

std::string helpText() {
    std::string text =
        "A server of the Redis protocol on 127.0.0.1. Sizes are bytes, times (Ms) milliseconds;\n"
        "0 as a time, a rate or --serverConcurrent is no limit. With the defaults:\n"
        "\n";
    text += line("--port 0", "where it listens; 0: a free port, which it prints");
    text +=
        line("--until-stdin-ends", "ends with its standard input, not only by SIGTERM and SIGINT");
    text += line("--inspect", "shows its flows on a page, whose URL it prints");
    text += line("--plugin FILE", "a plug-in whose handlers are commands; may be given again");
    const Limits limits;
    for (const Limit& limit : limitTable()) {
        text += line(concat({"--", limit.name, " ", get(limits, limit)}), limit.words);
    }
    return text;
}

}  // namespace resp
