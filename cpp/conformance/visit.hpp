#pragma once

#include <functional>

#include "value.hpp"

namespace conformance {

/// Sees a form or an action; whether it stands where only a value may.
using See = std::function<void(const Json& action, bool isPart)>;

/// All actions and forms of a case, those inside of another before it.
void visitCase(const Json& program, const See& see);

}  // namespace conformance
