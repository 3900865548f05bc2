#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "steptree/error.hpp"

/// Exceptions of the program that are no StepError.
namespace steptree::detail {

class Step;

/// An exception of the program that is told where it was raised, for whoever sees it without its
/// error: what a run has ended with.
class STEPTREE_VISIBLE KnowsWhere {
  public:
    virtual ~KnowsWhere() = default;
    /// Each time that it is raised. Any thread, for the same may be raised by flows of several.
    virtual void raisedAt(std::string path) const = 0;
};

/// Of what is being handled, or of what it wraps; null: of a type that isn't known. Empty: it has
/// none.
STEPTREE_VISIBLE std::string portableCode(const std::exception* thrown) noexcept;

/// An error of the step for an exception that isn't ours, which is being handled. Null: of a type
/// that nobody knows.
ErrorRef foreignError(Step& at, const std::exception* thrown) noexcept;
/// An error that was made earlier, where it happens, is that exception's now.
void standFor(ErrorData& error, std::exception_ptr thrown) noexcept;
void standFor(ErrorData& error, std::string_view code, std::string_view info) noexcept;
/// What an exception that is not being handled is as an error of the step.
ErrorRef toRecord(std::exception_ptr thrown, Step& at) noexcept;

}  // namespace steptree::detail
