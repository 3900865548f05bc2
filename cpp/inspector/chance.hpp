#pragma once

#include <cstddef>
#include <string>

namespace steptree::detail::inspecting {

/// So many bytes that nobody can guess, three or a multiple of that, in letters of URLs.
std::string chance(std::size_t bytes);

}  // namespace steptree::detail::inspecting
