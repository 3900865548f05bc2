#pragma once

#include <string_view>

#include "steptree/error.hpp"

namespace steptree::detail {

/// The caller did what no caller may do.
[[noreturn, gnu::cold, gnu::noinline]] inline void misuse(std::string_view info) {
    throw StepError(errors::InternalError, info);
}

}  // namespace steptree::detail
