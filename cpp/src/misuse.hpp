#pragma once

#include <stdexcept>
#include <string>

namespace steptree::detail {

/// The caller did what no caller may do.
[[noreturn]] inline void misuse(const std::string& info) {
    throw std::runtime_error(info);
}

}  // namespace steptree::detail
