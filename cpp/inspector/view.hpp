#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "messages.hpp"

/// What pages ask for, as it comes from the net: only what is right is handed on.
namespace steptree::detail::inspecting {

struct AskedView {
    std::string page;
    View view;
};

/// Nothing: it is none.
std::optional<AskedView> viewOf(std::string_view body);
/// The run that is to be cancelled; nothing: it is none.
std::optional<std::uint64_t> runOf(std::string_view body);

}  // namespace steptree::detail::inspecting
