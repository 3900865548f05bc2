#pragma once

#include <cstddef>

/// How often the test program has called operator new.
namespace allocations {

std::size_t count() noexcept;

}  // namespace allocations
