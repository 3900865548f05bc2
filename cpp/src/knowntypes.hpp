#pragma once

#include "steptree/detail/typedesc.hpp"

namespace steptree::detail {

/// The runtime's own description of that type, if it has one, so that a value may outlive the
/// plug-in that it came from; else the given one. [model-131]
const TypeDesc& knownOr(const TypeDesc& given) noexcept;

}  // namespace steptree::detail
