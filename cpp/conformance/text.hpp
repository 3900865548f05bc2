#pragma once

#include <exception>
#include <string>
#include <vector>

#include "world.hpp"

namespace conformance {

/// The id and the arguments as JSON.
std::string withArguments(std::string text, const std::vector<Json>& values);
/// A value of a step as JSON: also the list that a map has as its result.
Json valueOf(const steptree::Results& values, std::size_t index);
std::string withValues(std::string text, const steptree::Results& values);
std::string textOf(const steptree::Outcome& outcome);

/// The code that a thrown thing stands for, as a handler would be told it; `break` and `continue`
/// for loop control.
std::string codeOf(const std::exception_ptr& thrown);

/// A number, or one that JSON can't write.
double numberOf(const Json& number);

/// A line of chosen views of the error that a handler sees.
std::string show(steptree::IAsyncSteps& asi, const Json& views);

/// What `{throw: message, code: …}` throws.
[[noreturn]] void throwForeign(const Json& action);

}  // namespace conformance
