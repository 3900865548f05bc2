#pragma once

#include "needs.hpp"
#include "steptree/asyncsteps.hpp"

namespace bench {

/// Flows that take what they need when they need it.
template <Needs>
using Flow = steptree::AsyncSteps;

}  // namespace bench
