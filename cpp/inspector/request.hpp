#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steptree::detail::inspecting {

/// What is asked for, without its body.
struct Request {
    std::string method;
    std::string target;
    std::vector<std::pair<std::string, std::string>> headers;  // with names in lower case

    /// Empty: there is none. Nothing: there are several.
    std::optional<std::string_view> header(std::string_view name) const;
    /// Of the body; nothing: that isn't known, or isn't said so.
    std::optional<std::size_t> length() const;
};

/// Nothing: it is none. `head` ends with an empty line.
std::optional<Request> requestOf(std::string_view head);

}  // namespace steptree::detail::inspecting
