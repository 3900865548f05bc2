#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "extra.hpp"
#include "kind.hpp"
#include "steptree/error.hpp"

/// Where an error was raised: the way from the root to its step.
namespace steptree::detail {

/// How many it has left; 0: there is a name on the way, or it is too long.
std::uint8_t leaveCrumbs(Step& from, Crumbs& crumbs) noexcept;
/// What a path shows of the step; of one that hasn't started, as the branch that it will be.
std::string elementOf(Step& step);
std::string branchElementOf(Step& step);
/// All of the way to the step.
std::string pathOf(Step& step);
/// The same without text: a number, or a name that is the step's, behind the sign.
struct ElementParts {
    PathElement kind;
    std::uint64_t number;
    std::string_view name;
};
ElementParts elementAt(Step& step) noexcept;
/// 0: it has none.
char signOf(PathElement element) noexcept;
std::string textOf(const Crumbs& crumbs, std::size_t count);
/// The text of a way that crumbs aren't enough for, from the root that is given on; null: all of
/// it.
const PathRoot* leaveText(Step& from, std::string& text);
std::string textOf(const PathRoot& root, const std::string& rest);
void release(const PathRoot* root) noexcept;
void destroyPath(Extra& extra) noexcept;

}  // namespace steptree::detail
