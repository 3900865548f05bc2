#pragma once

#include "error.hpp"
#include "steptree/retry.hpp"

namespace steptree::detail {

/// Behind a retry step.
struct RetryPart {
    explicit RetryPart(RetryOptions&& given) noexcept
        : options(std::move(given)), wait(options.backoff.base.count()) {}

    RetryPart(const RetryPart&) = delete;
    RetryPart& operator=(const RetryPart&) = delete;
    ~RetryPart() { dropFailures(failures); }

    RetryOptions options;
    double wait;                    // the next one, before cap and jitter
    std::int64_t attempts = 0;      // that have begun
    std::int64_t omitted = 0;       // errors between the first and the others of `failures`
    ErrorData* failures = nullptr;  // of attempts: one reference each, the last one first
    std::uint32_t kept = 0;         // so many they are
    bool over = false;              // there is no further attempt
};

static_assert(sizeof(RetryPart) <= kRetryPart);

/// Throws what is wrong with them.
void checkRetry(const RetryOptions& options);

}  // namespace steptree::detail
