#include <exception>
#include <utility>

#include "errors.hpp"
#include "handles.hpp"
#include "rights.hpp"
#include "tables.hpp"

/// Completions, awaiters, cancellers. None of these may throw: what the values can't be made of
/// fails the step.
namespace steptree::cabi {

namespace completioncalls {

namespace {

std::int32_t success(steptree_completion completion, const steptree_value* values,
                     std::size_t count) {
    const Borrowed<Completion> to(completion);
    if (count == 0) return to->success() ? 1 : 0;
    return withValues(
        values, count, [&](Results&& results) { return to->success(std::move(results)) ? 1 : 0; },
        [&](std::exception_ptr thrown) { return to->fail(std::move(thrown)) ? 1 : 0; });
}

std::int32_t error(steptree_completion completion, steptree_text code, steptree_text info) {
    return Borrowed<Completion>(completion)->error(view(code), view(info)) ? 1 : 0;
}

std::int32_t fail(steptree_completion completion, const steptree_error* error) {
    return Borrowed<Completion>(completion)->fail(exceptionOf(error)) ? 1 : 0;
}

std::int32_t valid(steptree_completion completion) {
    return Borrowed<Completion>(completion)->valid() ? 1 : 0;
}

}  // namespace

const steptree_completion_api kApi{
    sizeof(kApi), 0, &keepRef<Completion>, &dropRef<Completion>, &success, &error, &fail, &valid};

}  // namespace completioncalls

namespace awaitercalls {

namespace {

void success(steptree_awaiter awaiter, const steptree_value* values, std::size_t count) {
    const Borrowed<Awaiter> to(awaiter);
    if (count == 0) return to->success();
    withValues(
        values, count, [&](Results&& results) { to->success(std::move(results)); },
        [&](std::exception_ptr thrown) { to->fail(std::move(thrown)); });
}

void fail(steptree_awaiter awaiter, const steptree_error* error) {
    Borrowed<Awaiter>(awaiter)->fail(exceptionOf(error));
}

}  // namespace

const steptree_awaiter_api kApi{sizeof(kApi),      0,        &keepRef<Awaiter>,
                                &dropRef<Awaiter>, &success, &fail};

}  // namespace awaitercalls

namespace cancellercalls {

namespace {

void cancel(steptree_canceller canceller, steptree_text reason) {
    const Sheltered sheltered;
    Borrowed<Canceller>(canceller)->cancel(view(reason));
}

}  // namespace

const steptree_canceller_api kApi{sizeof(kApi), 0, &keepRef<Canceller>, &dropRef<Canceller>,
                                  &cancel};

}  // namespace cancellercalls

}  // namespace steptree::cabi
