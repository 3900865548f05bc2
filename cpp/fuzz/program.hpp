#pragma once

#include "choices.hpp"
#include "value.hpp"

namespace fuzz {

/// A case of what an input decides: whatever the bytes are, it can be run, and once it is stopped
/// it comes to an end.
conformance::Json programOf(Choices& choices);

}  // namespace fuzz
