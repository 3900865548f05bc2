#include "steptree/worker.hpp"

#include <string>
#include <utility>

#include "jobs.hpp"
#include "jobsource.hpp"
#include "jobtext.hpp"
#include "misuse.hpp"
#include "newid.hpp"
#include "taker.hpp"

namespace steptree {

namespace {

WorkerOptions checked(WorkerOptions options, const std::vector<JobQueue*>& queues) {
    const auto refuse = [](const char* what) { detail::misuse(std::string("Worker: ") + what); };
    if (queues.empty()) refuse("expected a JobQueue, or several");
    if (options.concurrency < 1) refuse("concurrency: expected a number of at least 1");
    if (options.lease.count() < 1000 || options.lease.count() > 10'000'000'000) {
        refuse("lease: expected 1 s to 1e10 ms");
    }
    if (options.losses < 0) refuse("losses: expected a number of at least 0");
    if (options.version < 0) refuse("version: expected a number of at least 0");
    detail::checkRetry(options.retry);
    return options;
}

/// Others look up to a sixth of that later.
std::chrono::milliseconds holdOf(std::chrono::milliseconds lease) noexcept {
    return lease * 3 / 4;
}

std::shared_ptr<detail::redis::Taker> takerOf(Tool& tool, const std::vector<JobQueue*>& queues,
                                              Worker::Handler handler, WorkerOptions options) {
    using namespace detail::redis;
    const auto hold = holdOf(options.lease);
    const auto waker = std::make_shared<Waker>();
    const auto made = std::make_shared<Taker>(
        tool, TakerLimits{options.concurrency, options.lease, std::move(options.report)}, waker);
    const auto work = std::make_shared<JobWork>(
        JobWork{newId(), hold, waker, tool, std::move(handler), std::move(options)});
    for (JobQueue* const queue : queues) made->add(std::make_unique<JobSource>(*queue, work));
    return made;
}

}  // namespace

Worker::Worker(Tool& tool, std::vector<JobQueue*> queues, Handler handler, WorkerOptions options)
    : taker_(takerOf(tool, queues, std::move(handler), checked(std::move(options), queues))) {
    taker_->start();
}

Worker::~Worker() {
    taker_->end();
}

std::size_t Worker::size() const noexcept {
    return taker_->size();
}

Future<std::size_t> Worker::drainFor(std::int64_t ms) {
    return taker_->drain(ms);
}

Step<AnyValues, Values<>> Job::progress(std::string json) const {
    const std::string why = detail::redis::whyNoPayload(json, 10'000);
    if (!why.empty()) detail::misuse("progress: " + why);
    return step([data = data_, json = std::move(json)](IAsyncSteps& asi) {
        JobQueue::Access::script(asi, *data->queue, "jobs/progress", {data->id, data->token, json});
        asi.add([id = data->id](IAsyncSteps&, const detail::redis::Reply& kept) {
            if (kept.number != 1) throw StepError(errors::LeaseLost, "job " + id);
        });
    });
}

}  // namespace steptree
