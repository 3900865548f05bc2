#pragma once

#include <string_view>

#include "steptree/error.hpp"

namespace steptree::detail {

/// The caller did what no caller may do.
[[noreturn, gnu::cold, gnu::noinline]] inline void misuse(std::string_view info) {
    throw StepError(errors::InternalError, info);
}

// ---- retry.cpp
/// Options that are numbers: InternalError if they are out of bounds.
void checkNumber(const char* name, std::int64_t given);
void checkNumber(const char* name, double given, double least, double most);

}  // namespace steptree::detail
