#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "ask.hpp"
#include "steptree/jobqueue.hpp"

namespace steptree {

/// What workers ask of a queue.
struct JobQueue::Access {
    static const JobQueueOptions& limits(const JobQueue& of) noexcept { return of.limits_; }
    static const std::string& base(const JobQueue& of) noexcept { return of.base_; }
    static RedisConnection& connection(const JobQueue& of) noexcept { return of.connection_; }

    /// As askScript of ask.hpp, on the queue's keys.
    static void script(IAsyncSteps& asi, const JobQueue& of, std::string_view name,
                       detail::redis::Words args) {
        detail::redis::askScript(asi, of.connection_, of.base_, name, std::move(args));
    }
};

}  // namespace steptree
