#pragma once

#include <cstdint>
#include <string>

#include "steptree/steps.hpp"
#include "world.hpp"

namespace conformance {

/// Whether an action or branch is a step form.
bool isForm(const Json& action);

/// A repeat's, which refuses what isn't whole when it starts.
std::int64_t timesOf(const Json& form);

/// Whether a function makes a value of such a form.
bool hasValue(const std::string& kind);

/// The step value that a form stands for.
steptree::Step<> valueOf(World& world, const Json& form);
/// The value with the handler and the name that the form has.
steptree::Step<> handled(World& world, steptree::Step<> value, const Json& form);

/// What has been made before the case runs to be added for the form; null: nothing.
const steptree::Step<>* madeFor(const World& world, const Json& form);

/// Adds steps by the calls that the forms stand for.
void addForms(World& world, steptree::IAsyncSteps& steps, const Json& forms);
void addForms(World& world, steptree::IFlow& steps, const Json& forms);
void addForm(World& world, steptree::IAsyncSteps& steps, const Json& form);

}  // namespace conformance
