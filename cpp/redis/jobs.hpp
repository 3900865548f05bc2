#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "connection.hpp"
#include "steptree/jobqueue.hpp"

namespace steptree {

/// What workers ask of a queue.
struct JobQueue::Access {
    static const JobQueueOptions& limits(const JobQueue& of) noexcept { return of.limits_; }
    static const std::string& base(const JobQueue& of) noexcept { return of.base_; }
    static RedisConnection& connection(const JobQueue& of) noexcept { return of.connection_; }
};

namespace detail::redis {

/// Adds a step that runs a script of the queue, and leaves what that has answered, a Reply. If it
/// hasn't: RedisFailed.
void askScript(IAsyncSteps& asi, const JobQueue& queue, std::string_view script, Words args);
/// The same of a command.
void ask(IAsyncSteps& asi, RedisConnection& connection, Words words);

}  // namespace detail::redis
}  // namespace steptree
