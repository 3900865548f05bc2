#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Texts of a program as pages get them: names may be as long as they like, what is sent may not.
namespace steptree::detail::inspecting {

inline constexpr std::size_t kMostOfText = 200;
inline constexpr std::size_t kMostOfElement = 60;

/// Its beginning.
std::string cut(std::string_view text, std::size_t most = kMostOfText);
/// Its end.
std::string cutFront(std::string_view text, std::size_t most = kMostOfText);
/// Of a path that has more elements the middle is left out.
std::string cutPath(const std::vector<const std::string*>& elements);
/// In words, whatever is asked for.
std::string lowered(std::string text);

}  // namespace steptree::detail::inspecting
