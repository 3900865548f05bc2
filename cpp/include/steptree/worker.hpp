#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "steptree/abi.hpp"
#include "steptree/detail/duration.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/error.hpp"
#include "steptree/future.hpp"
#include "steptree/job.hpp"
#include "steptree/retry.hpp"
#include "steptree/steps.hpp"
#include "steptree/tool.hpp"

namespace steptree {

namespace detail::redis {
class Taker;
}

/// `Worker(tool, letters, send, {.retry = {.max = 5}})`.
struct WorkerOptions {
    std::int64_t concurrency = 10;  ///< how many jobs run at a time, at least 1
    /// Which failed attempts are followed by another one, and when; the budget isn't heeded.
    RetryOptions retry = {.max = 1};
    /// Within which time a job of a process that was killed is taken over by another one, 1 s to
    /// 1e10 ms. A process that can't reach Redis for three quarters of it leaves its jobs.
    std::chrono::milliseconds lease{30'000};
    /// How often the worker of a job may be lost before the job is a dead letter: it may be what
    /// kills them. At least 0.
    std::int64_t losses = 10;
    /// The newest version of the payload's schema that the handler knows. Jobs of newer ones are
    /// dead letters. At least 0.
    std::int64_t version = std::numeric_limits<std::int64_t>::max();
    /// Whether it's a payload for the handler. If not, or if it throws, the job is a dead letter.
    /// On the tool's thread.
    detail::Function<bool(const std::string& payload, std::int64_t version)> accepts{};
    /// Gets what goes wrong beside the jobs: what Redis says, RedisFailed, which is tried again
    /// anyway; and mistakes of the handler, which fail with InternalError: exceptions that are no
    /// StepError, as its cause. Its path begins with the queue. On the tool's thread; what it
    /// throws is ignored. Without: a mistake is printed, of the rest nobody hears.
    detail::Function<void(const StepError&)> report{};
};

/// Works on the jobs of a queue, or of several: those of the first one first. Each job is a flow of
/// its own, in which the handler, a step value, finds the payload, JSON, and the Job. It ends with
/// ok: the job is done. It fails: another attempt, or a dead letter. Its process is killed: another
/// worker takes the job over, within the lease. So every job is run at least once. A job whose
/// lease was lost is cancelled here. A guard for all jobs, a timeout for an attempt are the
/// handler's: `sync(guard, send.timeout(500))`.
///
/// Made on any thread, works on the tool's. The tool may be used by others, too; it has to run, and
/// to outlive the worker. Guide: docs/jobs.md#a-worker
///
///     Worker letterWorker(tool, letters, sync(connections, send), {.retry = {.max = 5}});
class STEPTREE_VISIBLE Worker {
  public:
    using Handler = Step<Values<std::string, Job>, AnyValues>;

    /// Bad options: InternalError.
    Worker(Tool& tool, JobQueue& queue, Handler handler, WorkerOptions options = {})
        : Worker(tool, std::vector<JobQueue*>{&queue}, std::move(handler), std::move(options)) {}
    Worker(Tool& tool, std::vector<JobQueue*> queues, Handler handler, WorkerOptions options = {});
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    /// Cancels what runs, as the destructor of a Scope does, and tells nobody: other workers take
    /// these jobs over when their leases have ended. Any thread. On one that drives the tool, but
    /// outside of its executor, and in what a flow of another tool runs, it can't wait for that:
    /// the queues, and what the handler refers to, have to live a moment longer. Who can wait
    /// drains before: then nothing is left.
    ~Worker();

    /// How many jobs it has. Never waits.
    std::size_t size() const noexcept;

    /// Takes no more jobs, lets those that run end by themselves for so long, milliseconds or any
    /// chrono duration, then cancels them and gives them back to the queue. Settles with how many
    /// these were, once nothing of the worker is left; while Redis doesn't answer, when their
    /// leases have ended. A second call gives the same. Any thread from which a Scope may be
    /// closed; on another one, and for a negative time or NaN: InternalError.
    /// Guide: docs/jobs.md#shutdown
    ///
    ///     letterWorker.drain(5s).get();
    template <class Time>
    Future<std::size_t> drain(Time limit) {
        return drainFor(detail::wholeMilliseconds(limit));
    }

  private:
    Future<std::size_t> drainFor(std::int64_t ms);

    const std::shared_ptr<detail::redis::Taker> taker_;
};

}  // namespace steptree
