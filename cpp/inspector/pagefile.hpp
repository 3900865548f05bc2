#pragma once

#include <string_view>

namespace steptree::detail::inspecting {

/// The page, as the build has made it of the folder `inspector`.
std::string_view pageFile() noexcept;

}  // namespace steptree::detail::inspecting
