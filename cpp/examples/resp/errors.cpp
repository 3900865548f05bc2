#include "errors.hpp"

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
    asi.error("ERR", "wrong number of arguments for '" + name + "' command");
}

void unknownSubcommand(IAsyncSteps& asi, std::string_view name, const std::string& subcommand) {
    const std::string shown = subcommand.substr(0, 128);
    std::string upper;
    for (const char c : name) upper += static_cast<char>(c - 'a' + 'A');
    asi.error("ERR", "unknown subcommand '" + shown + "'. Try " + upper + " HELP.");
}

std::string toLower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

}  // namespace resp
