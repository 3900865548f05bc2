#pragma once

#include <string>

namespace steptree::detail::redis {

/// 128 random bits, as a text.
std::string newId();

}  // namespace steptree::detail::redis
