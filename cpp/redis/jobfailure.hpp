#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "failures.hpp"
#include "steptree/jobqueue.hpp"

namespace steptree::detail::redis {

using JobFailures = std::vector<JobFailure>;

JobFailure jobFailure(std::int64_t attempt, const Failure& failure);
/// The error of an attempt, then what has caused it.
JobFailures jobFailuresOf(const std::exception_ptr& error, std::int64_t attempt);
/// The first attempt's and the last ones'.
JobFailures together(JobFailures before, const JobFailures& more);
/// As they are kept; what isn't readable is none.
JobFailures jobFailuresIn(const std::string& text);
std::string textOf(const JobFailures& failures);

}  // namespace steptree::detail::redis
