#include "waittext.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace steptree::detail {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kWaits{{
    {"turn", "its turn is next"},
    {"code", "runs"},
    {"stop", "waits for what it has begun to stop"},
    {"guard", "waits for a guard of the program"},
    {"send", "waits for room in a channel"},
    {"receive", "waits for a value of a channel"},
    {"timer", "waits for ever"},
    {"awaitable", "awaits a promise"},
    {"completion", "waits for its completion"},
    {"success", "waits for success() or error() of its accessor"},
}};

}  // namespace

std::string waitText(const WaitSnapshot& wait) {
    if (!wait.kind.empty()) return "waits for " + wait.kind + quoted(wait.name);
    if (wait.ms) return "waits " + std::to_string(*wait.ms) + " ms";
    std::string text;
    for (const auto& [what, words] : kWaits)
        if (what == wait.what) text = words;
    constexpr std::string_view kUnnamed = "a channel";
    if (const auto at = text.find(kUnnamed); at != std::string::npos && !wait.name.empty())
        text.replace(at, kUnnamed.size(), "channel" + quoted(wait.name));
    return text;
}

std::string quoted(const std::string& name) {
    if (name.empty()) return {};
    static constexpr char kHex[] = "0123456789abcdef";
    std::string text = " \"";
    for (const char c : name) {
        if (c == '"' || c == '\\')
            (text += '\\') += c;
        else if (c == '\n')
            text += "\\n";
        else if (c == '\r')
            text += "\\r";
        else if (c == '\t')
            text += "\\t";
        else if (c == '\b')
            text += "\\b";
        else if (c == '\f')
            text += "\\f";
        else if (static_cast<unsigned char>(c) < 0x20)
            ((text += "\\u00") += kHex[c >> 4]) += kHex[c & 15];
        else
            text += c;
    }
    return text += '"';
}

}  // namespace steptree::detail
