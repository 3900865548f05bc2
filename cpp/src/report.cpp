#include "report.hpp"

#include <cstdio>

#include "error.hpp"
#include "flowextras.hpp"
#include "foreign.hpp"

namespace steptree::detail {

void printReport(const char* what, const ErrorData& error) noexcept {
    error.describe();
    std::fprintf(stderr, "steptree: %s: %s%s%s at %s\n", what, error.code.c_str(),
                 error.info.empty() ? "" : ": ", error.info.c_str(), error.path.c_str());
}

void callHook(Options::Hook& hook, ErrorData& error) noexcept {
    error.describe();
    hook(error.code, error.info, exceptionOf(error), error.path);
}

void report(Flow& flow, std::exception_ptr thrown, Step& at) noexcept {
    report(flow, toRecord(std::move(thrown), at));
}

void report(Flow& flow, const ErrorRef& error) noexcept {
    report(flow.flowExtras() != nullptr ? flow.flowExtras()->options : nullptr, error);
}

void report(const std::shared_ptr<const Options>& given, const ErrorRef& error) noexcept {
    const std::shared_ptr<const Options> options = given;
    if (options != nullptr && options->report) return callHook(options->report, *error.get());
    printReport("not an error of the flow", *error.get());
}

}  // namespace steptree::detail
