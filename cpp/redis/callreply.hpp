#pragma once

#include <cstdint>
#include <string>

#include "steptree/completion.hpp"

namespace steptree::detail::redis {

/// Completes a step as a reply says it, which may be anybody's.
void complete(const Completion& done, const std::string& reply, std::int64_t mostDepth) noexcept;

}  // namespace steptree::detail::redis
