#pragma once

#include <string>

#include "steptree/error.hpp"

namespace steptree::detail {

/// The caller did what no caller may do.
[[noreturn]] inline void misuse(const std::string& info) {
    throw StepError(errors::InternalError, info);
}

}  // namespace steptree::detail
