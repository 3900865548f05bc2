#pragma once

#include <exception>
#include <memory>

#include "steptree/abi.hpp"
#include "steptree/options.hpp"
#include "tree.hpp"

/// What is no error of a flow's, and what nobody else hears of.
namespace steptree::detail {

void report(Flow& flow, std::exception_ptr thrown, Step& at) noexcept;
void report(Flow& flow, const ErrorRef& error) noexcept;
/// The same for a flow that may be gone: with its options, or null.
void report(const std::shared_ptr<const Options>& options, const ErrorRef& error) noexcept;
/// Calls a hook. One that throws ends the process.
void callHook(Options::Hook& hook, ErrorData& error) noexcept;
/// Where there is no hook.
STEPTREE_VISIBLE void printReport(const char* what, const ErrorData& error) noexcept;

}  // namespace steptree::detail
