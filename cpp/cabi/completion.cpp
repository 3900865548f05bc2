#include <exception>
#include <utility>

#include "operations.hpp"
#include "tables.hpp"

/// Completions. None of these may throw: what the values can't be made of fails the step.
namespace steptree::cabi::completioncalls {

namespace {

/// Calls `good` with the values, `bad` with what has been thrown instead.
template <class Good, class Bad>
auto withValues(const steptree_value* values, std::size_t count, Good good, Bad bad) noexcept {
    Results results;
    try {
        take(values, count, results);
    } catch (...) {
        return bad(std::current_exception());
    }
    return good(std::move(results));
}

steptree_completion keep(steptree_completion completion) {
    if (completion.slot == nullptr) return completion;
    const Borrowed<Completion> borrowed(completion);
    return detached(Completion(*borrowed));
}

void drop(steptree_completion completion) {
    const Open<Completion> owned(completion);
}

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

void awaited(steptree_completion awaiter, const steptree_value* values, std::size_t count) {
    const Borrowed<Awaiter> to(awaiter);
    if (count == 0) return to->success();
    withValues(
        values, count, [&](Results&& results) { to->success(std::move(results)); },
        [&](std::exception_ptr thrown) { to->fail(std::move(thrown)); });
}

void awaitedError(steptree_completion awaiter, const steptree_error* error) {
    Borrowed<Awaiter>(awaiter)->fail(exceptionOf(error));
}

void cancel(steptree_completion canceller, steptree_text reason) {
    const Sheltered sheltered;
    Borrowed<Canceller>(canceller)->cancel(view(reason));
}

}  // namespace

const steptree_completion_api kApi{sizeof(kApi), 0,      &keep,    &drop,         &success, &error,
                                   &fail,        &valid, &awaited, &awaitedError, &cancel};

}  // namespace steptree::cabi::completioncalls
