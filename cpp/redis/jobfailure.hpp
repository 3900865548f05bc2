#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "steptree/error.hpp"
#include "steptree/jobqueue.hpp"

namespace steptree::detail::redis {

using Failures = std::vector<JobFailure>;

/// Of bounded length.
JobFailure failure(std::int64_t attempt, std::string_view code, std::string_view info,
                   std::string_view path = {});
/// What was thrown, as an error with a code.
StepError errorOf(const std::exception_ptr& error);
/// The error of an attempt, then what has caused it.
Failures failuresOf(const std::exception_ptr& error, std::int64_t attempt);
/// The first attempt's and the last ones'.
Failures together(Failures before, const Failures& more);
/// As they are kept; what isn't readable is none.
Failures failuresIn(const std::string& text);
std::string textOf(const Failures& failures);

}  // namespace steptree::detail::redis
