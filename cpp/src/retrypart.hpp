#pragma once

#include "engine.hpp"
#include "steptree/retry.hpp"

namespace steptree::detail {

/// Behind a retry step.
struct RetryPart {
    explicit RetryPart(RetryOptions&& given) noexcept
        : options(std::move(given)), wait(options.backoff.base.count()) {}

    RetryOptions options;
    double wait;                // the next one, before cap and jitter
    std::int64_t attempts = 0;  // that have begun
    ErrorRef last;              // of the attempt before
    bool over = false;          // there is no further attempt
};

static_assert(sizeof(RetryPart) <= kRetryPart);

/// Throws what is wrong with them.
void checkRetry(const RetryOptions& options);

}  // namespace steptree::detail
