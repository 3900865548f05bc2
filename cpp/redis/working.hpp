#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "jobsource.hpp"
#include "steptree/outcome.hpp"
#include "steptree/scope.hpp"
#include "steptree/worker.hpp"

namespace steptree::detail::redis {

/// What a Worker does: flows on its tool. One takes jobs as long as there is room, one renews
/// leases, one ends what has lost its own; each job is a flow, and so is telling Redis of it.
///
/// How a flow has ended may be told when the Worker has gone. So that refers to this, which then
/// has neither flows nor anything to do with what the program owns.
class Working : public std::enable_shared_from_this<Working> {
  public:
    Working(Tool& tool, const std::vector<JobQueue*>& queues, Worker::Handler handler,
            WorkerOptions options);
    Working(const Working&) = delete;
    Working& operator=(const Working&) = delete;
    ~Working() = default;

    void start();
    /// Nothing of it runs any more, and nothing is told.
    void end() noexcept;

    std::size_t size() const noexcept { return static_cast<std::size_t>(size_.load()); }
    Future<std::size_t> drain(std::int64_t ms);

  private:
    using Held = JobSource::Held;

    void looks(IAsyncSteps& asi);
    void takes(IAsyncSteps& asi);
    void pauses(IAsyncSteps& asi);
    void renews(IAsyncSteps& asi, JobSource& source);
    void expires(IAsyncSteps& asi);
    void ends(IAsyncSteps& asi, std::int64_t ms);
    void begin(JobSource& source, const Held& job);
    void run(JobSource& source, const Held& job);
    std::string whyInvalid(const JobSource& source, const HeldJob& job);
    void ended(JobSource& source, const Held& job, const Outcome& outcome);
    Words failed(const JobSource& source, const HeldJob& job, const Outcome& outcome);
    static Words failing(const JobSource& source, const HeldJob& job, std::int64_t wait,
                         const std::vector<JobFailure>& failures);
    void settle(JobSource& source, const Held& job, const char* script, Words more = {});
    void forget(JobSource& source, const Held& job) noexcept;
    void checkEmpty() noexcept;
    void report(IAsyncSteps& failed);

    Tool& tool_;
    const Worker::Handler handler_;
    WorkerOptions options_;
    const std::shared_ptr<Waker> waker_;
    std::vector<std::unique_ptr<JobSource>> sources_;
    ThreadGate held_;                    // open: something is
    ThreadGate empty_;                   // open: nothing goes on, and nothing is being taken
    ThreadGate ends_;                    // open: it drains
    std::atomic<std::int64_t> size_{0};  // handlers that run
    std::int64_t going_ = 0;             // jobs whose end isn't told yet
    std::atomic<bool> isGone_ = false;   // nothing is told any more
    bool isTaking_ = false;
    bool drains_ = false;
    int failures_ = 0;
    std::size_t putBack_ = 0;
    std::mutex mutex_;
    std::optional<Future<std::size_t>> drained_;
    std::optional<Scope> telling_;  // Redis of what has come of jobs
    std::optional<Scope> jobs_;     // handlers
    std::optional<Scope> own_;      // flows of the worker
    std::optional<Scope> ending_;   // the drain
};

}  // namespace steptree::detail::redis
