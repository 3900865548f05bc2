#pragma once

#include <optional>
#include <utility>

#include "limits.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/limiter.hpp"

namespace resp {

/// Nothing: there is no limit.
using MaybeLimiter = std::optional<steptree::Limiter>;

/// How often one client may command. His commands run one after another: there is nothing else to
/// limit.
MaybeLimiter clientLimiter(const Limits& limits);

/// How often all clients together may command, and how many commands run at a time.
MaybeLimiter serverLimiter(const Limits& limits);

/// Runs a body of the step as soon as the limiter, if there is one, lets it in. Code:
/// `DefenseRejected`.
template <class Body>
void within(steptree::IAsyncSteps& asi, MaybeLimiter& limiter, Body body) {
    if (limiter) {
        asi.sync(*limiter, std::move(body));
    } else {
        body(asi);
    }
}

}  // namespace resp
