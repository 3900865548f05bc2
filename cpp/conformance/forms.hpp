#pragma once

#include <string>

#include "world.hpp"

namespace conformance {

/// Whether an action or branch is a step form.
bool isForm(const Json& action);

/// Adds steps by the calls that the forms stand for.
void addForms(World& world, steptree::IAsyncSteps& steps, const Json& forms);
void addForms(World& world, steptree::IFlow& steps, const Json& forms);
void addForm(World& world, steptree::IAsyncSteps& steps, const Json& form);

}  // namespace conformance
