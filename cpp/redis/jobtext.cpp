#include "jobtext.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace steptree::detail::redis {

namespace {

/// How deep arrays and objects lie in each other; more than `most` isn't counted.
std::int64_t depthOf(const std::string& text, std::int64_t most) noexcept {
    std::int64_t depth = 0;
    std::int64_t deepest = 0;
    bool isText = false;
    for (std::size_t i = 0; i < text.size() && deepest <= most; ++i) {
        const char c = text[i];
        if (c == '"') {
            isText = !isText;
        } else if (isText) {
            if (c == '\\') ++i;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return deepest;
}

}  // namespace

std::string whyNoPayload(const std::string& text, std::int64_t mostDepth, const char* what) {
    std::string why = what;
    if (isDeeper(text, mostDepth)) {
        return why.append(" is more than ")
            .append(std::to_string(mostDepth))
            .append(" levels deep");
    }
    return nlohmann::json::accept(text) ? "" : why.append(" is no JSON");
}

bool isDeeper(const std::string& text, std::int64_t most) noexcept {
    return depthOf(text, most) > most;
}

bool isList(const std::string& json) noexcept {
    const std::size_t first = json.find_first_not_of(" \t\r\n");
    return first != json.npos && json[first] == '[';
}

}  // namespace steptree::detail::redis
