#include "errors.hpp"

#include "text.hpp"

namespace resp {

using steptree::IAsyncSteps;

void wrongType(IAsyncSteps& asi) {
    asi.error("WRONGTYPE", "Operation against a key holding the wrong kind of value");
}

void notAnInteger(IAsyncSteps& asi) {
    asi.error("ERR", "value is not an integer or out of range");
}

void syntaxError(IAsyncSteps& asi) {
    asi.error("ERR", "syntax error");
}

void wrongArity(IAsyncSteps& asi, const std::string& name) {
    asi.error("ERR", concat({"wrong number of arguments for '", name, "' command"}));
}

void unknownSubcommand(IAsyncSteps& asi, std::string_view name, const std::string& subcommand) {
    const std::string_view shown = std::string_view(subcommand).substr(0, 128);
    asi.error("ERR", concat({"unknown subcommand '", shown, "'. Try ", toUpper(name), " HELP."}));
}

}  // namespace resp
