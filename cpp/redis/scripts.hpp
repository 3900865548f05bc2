#pragma once

#include <span>
#include <string_view>

namespace steptree::detail::redis {

/// One of spec/redis, which the build puts in, with the hash that Redis knows it by.
struct Script {
    std::string_view name;
    std::string_view text;
    std::string_view sha;
};

/// By its path below spec/redis, without `.lua`. There is one.
const Script& scriptOf(std::string_view name) noexcept;
std::span<const Script> allScripts() noexcept;

}  // namespace steptree::detail::redis
