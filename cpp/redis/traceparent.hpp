#pragma once

#include <string_view>

namespace steptree::detail::redis {

/// Whether it's a traceparent of W3C Trace Context, of whatever version.
bool isTrace(std::string_view text) noexcept;

}  // namespace steptree::detail::redis
