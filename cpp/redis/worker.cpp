#include "steptree/worker.hpp"

#include <string>
#include <utility>

#include "jobs.hpp"
#include "jobtext.hpp"
#include "misuse.hpp"
#include "working.hpp"

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

}  // namespace

Worker::Worker(Tool& tool, std::vector<JobQueue*> queues, Handler handler, WorkerOptions options)
    : working_(std::make_shared<detail::redis::Working>(tool, queues, std::move(handler),
                                                        checked(std::move(options), queues))) {
    try {
        working_->start();
    } catch (...) {
        working_->end();
        throw;
    }
}

Worker::~Worker() {
    working_->end();
}

std::size_t Worker::size() const noexcept {
    return working_->size();
}

Future<std::size_t> Worker::drainFor(std::int64_t ms) {
    return working_->drain(ms);
}

Step<AnyValues, Values<>> Job::progress(std::string json) const {
    const std::string why = detail::redis::whyNoPayload(json, 10'000);
    if (!why.empty()) detail::misuse("progress: " + why);
    return step([data = data_, json = std::move(json)](IAsyncSteps& asi) {
        detail::redis::askScript(asi, *data->queue, "jobs/progress", {data->id, data->token, json});
        asi.add([id = data->id](IAsyncSteps&, const detail::redis::Reply& kept) {
            if (kept.number != 1) throw StepError(errors::LeaseLost, "job " + id);
        });
    });
}

}  // namespace steptree
