#include "options.hpp"

#include <limits>
#include <optional>

#include "numbers.hpp"
#include "text.hpp"

namespace resp {

namespace {

/// False: there is no such limit.
bool setLimit(Limits& limits, const std::string& name, std::int64_t value) {
    const struct {
        const char* name;
        std::size_t Limits::*member;
    } sizes[] = {
        {"--connections", &Limits::connections},
        {"--burst", &Limits::burst},
        {"--bulk", &Limits::bulk},
        {"--args", &Limits::args},
        {"--request", &Limits::request},
        {"--line", &Limits::line},
        {"--input", &Limits::input},
        {"--output", &Limits::output},
    };
    const struct {
        const char* name;
        std::int64_t Limits::*member;
    } times[] = {
        {"--commandMs", &Limits::commandMs}, {"--requestMs", &Limits::requestMs},
        {"--idleMs", &Limits::idleMs},       {"--outputMs", &Limits::outputMs},
        {"--lingerMs", &Limits::lingerMs},
    };
    for (const auto& size : sizes) {
        if (name == size.name) limits.*size.member = static_cast<std::size_t>(value);
        if (name == size.name) return true;
    }
    for (const auto& time : times) {
        if (name == time.name) limits.*time.member = value;
        if (name == time.name) return true;
    }
    return false;
}

}  // namespace

Options readOptions(const std::vector<std::string>& args) {
    Options options;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const std::string& name = args[i];
        if (name == "--until-stdin-ends") {
            options.untilStdinEnds = true;
            continue;
        }
        i += 1;
        const auto value = i < args.size() ? parseInteger(args[i]) : std::nullopt;
        if (!value || *value < 0 || *value > std::numeric_limits<std::int32_t>::max()) {
            options.error = concat({name, " needs a number"});
        } else if (name == "--port") {
            options.port = static_cast<std::uint16_t>(*value);
        } else if (!setLimit(options.limits, name, *value)) {
            options.error = concat({"unknown option ", name});
        }
        if (!options.error.empty()) return options;
    }
    return options;
}

}  // namespace resp
