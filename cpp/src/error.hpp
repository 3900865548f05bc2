#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "steptree/error.hpp"

/// Errors that the engine makes, and what becomes of them.
namespace steptree::detail {

class Step;

/// An error that happens now at this step. Never throws: short of memory it is a prepared one.
ErrorRef raisedBy(Step& at, std::string_view code, std::string_view info) noexcept;
/// The one that is shared by all who find no memory.
inline bool isPrepared(const ErrorData& error) noexcept {
    return error.ops == nullptr;
}
/// By a guard of the runtime: what it refused has burdened nobody. [flow-115]
inline bool isRefusal(const ErrorData& error) noexcept {
    return error.guardSize != 0 && error.code == errors::DefenseRejected;
}
/// An error of another tree, as if that were inside of the step that raises it: its path is that of
/// the step, then `path`.
STEPTREE_VISIBLE StepError raisedElsewhere(std::string_view code, std::string_view info,
                                           std::string path, std::exception_ptr cause);
/// The path of an error that nobody has looked at.
std::string whereOf(const ErrorData& error);
void giveCause(ErrorData& error, std::exception_ptr cause) noexcept;
/// A record of its own: whoever threw it may have given the same error to other threads.
ErrorRef raisedBy(Step& at, const StepError& thrown) noexcept;
std::exception_ptr exceptionOf(ErrorData& error) noexcept;
/// A handler has raised `error` in the place of another, which it may have thrown again.
void replaces(ErrorData& error, ErrorData& replaced) noexcept;
/// They are one error to the program.
inline bool isAgain(const ErrorData& error, const ErrorData& earlier) noexcept {
    return error.origin == &earlier || (error.native != nullptr && error.native == earlier.native);
}
/// One reference more.
ErrorRef share(ErrorData* data) noexcept;
/// The one is the error of an attempt, the other that of the attempt before.
void follows(ErrorData& error, ErrorData& before) noexcept;
/// What the program is shown of it as one of ours, also if it stands for another exception.
StepError stepErrorOf(ErrorData& error) noexcept;
void addAlso(ErrorData& to, ErrorRef error) noexcept;
/// Errors of branches, each with the index of its own as `order`: they become the first of `also`.
void addFailures(ErrorData& to, ErrorData* failures) noexcept;
void dropFailures(ErrorData* failures) noexcept;
/// Before anybody looks at it.
void sortAlso(ErrorData& error) noexcept;

}  // namespace steptree::detail
