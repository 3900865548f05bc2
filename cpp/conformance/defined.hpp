#pragma once

#include "world.hpp"

namespace conformance {

/// Makes values of all steps of a case that can be values, once, then runs it twice. Its `share`
/// says how many that are; or it's `unfit`, if none is. A second trace that differs stands behind
/// the first.
Json runDefined(MakeFlow makeFlow, const Json& program);

}  // namespace conformance
