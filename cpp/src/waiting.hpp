#pragma once

#include "tree.hpp"

/// For timeout.cpp.
namespace steptree::detail {

/// A timeout of the step says what the lines inside wait for. Before they are closed.
void noteWaits(Step& step, ErrorData& error) noexcept;

}  // namespace steptree::detail
