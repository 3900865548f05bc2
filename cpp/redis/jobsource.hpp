#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "jobs.hpp"
#include "steptree/job.hpp"
#include "steptree/worker.hpp"
#include "work.hpp"

namespace steptree::detail::redis {

/// A job that this process has.
struct HeldJob final : Work {
    Job::Data data;
    std::string text;
};

/// What the queues of a worker have in common.
struct JobWork {
    std::string id;                  // of the worker
    std::chrono::milliseconds hold;  // for how long jobs are held in Redis
    std::shared_ptr<Waker> waker;
    Tool& tool;
    Worker::Handler handler;
    WorkerOptions options;
};

/// One queue of a worker.
class JobSource final : public WorkSource {
  public:
    JobSource(JobQueue& queue, std::shared_ptr<JobWork> work);
    ~JobSource() override { JobSource::endListening(); }
    void endListening() noexcept override;

    void take(IAsyncSteps& asi, std::int64_t room, std::function<void(const Held&)> begin) override;
    void leave(IAsyncSteps& asi, bool always) override;
    void renew(IAsyncSteps& asi) override;
    std::chrono::milliseconds renewIn() const noexcept override { return work_->hold / 3; }
    void watch(IAsyncSteps&) override {}  // what it hears is for the waker
    void end(IAsyncSteps& asi) override;

    std::unique_ptr<Report> refusal(const Held& work) override;
    Handler handlerOf(const Held& work) override;
    Report ended(const Held& work, const Outcome& outcome) override;
    std::string nameOf(const Held& work) const override;
    Report back(const Held& work) override;
    void tell(IAsyncSteps& asi, const Report& report) override;

  private:
    void taken(const Reply& answer, Clock::time_point asked, std::int64_t room,
               const std::function<void(const Held&)>& begin);
    Clock::time_point expiryOf(Clock::time_point asked) const noexcept;
    std::string whyInvalid(const HeldJob& job) const;
    Report failed(const HeldJob& job, std::int64_t wait,
                  const std::vector<JobFailure>& failures) const;

    JobQueue& queue_;
    const std::shared_ptr<JobWork> work_;
    const std::string channel_;
    bool listens_ = false;
    bool isIdle_ = false;  // it's told when there is something to take
};

}  // namespace steptree::detail::redis
