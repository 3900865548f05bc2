#include "jobsource.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "jobfailure.hpp"
#include "jobretry.hpp"
#include "jobtext.hpp"
#include "leaselife.hpp"

namespace steptree::detail::redis {

namespace {

using Queue = JobQueue::Access;

Wire& wireOf(const JobQueue& queue) noexcept {
    return RedisConnection::Access::wire(Queue::connection(queue));
}

HeldJob& jobOf(const WorkSource::Held& work) noexcept {
    return static_cast<HeldJob&>(*work);
}

/// As `take` gives it. What is written there may be anybody's.
std::shared_ptr<HeldJob> heldOf(JobQueue& queue, const Reply& taken, Clock::time_point expires) {
    const auto& of = taken.list;
    auto job = std::make_shared<HeldJob>();
    job->data = {.queue = &queue,
                 .id = of.at(0).text,
                 .token = of.at(1).text,
                 .attempt = of.at(2).number + 1,
                 .losses = of.at(3).number,
                 .version = std::strtoll(of.at(6).text.c_str(), nullptr, 10),
                 .key = of.at(7).text,
                 .causes = jobFailuresIn(of.at(8).text)};
    job->text = of.at(4).text;
    job->left = of.at(5).number;
    job->expires = expires;
    return job;
}

}  // namespace

JobSource::JobSource(JobQueue& queue, std::shared_ptr<JobWork> work)
    : queue_(queue), work_(std::move(work)), channel_(Queue::base(queue) + ":wake:" + work_->id) {
    wireOf(queue).listen(channel_, work_->waker);
    listens_ = true;
}

void JobSource::endListening() noexcept {
    if (std::exchange(listens_, false)) wireOf(queue_).leave(channel_, *work_->waker);
}

void JobSource::take(IAsyncSteps& asi, std::int64_t room, std::function<void(const Held&)> begin) {
    const JobQueueOptions& limits = Queue::limits(queue_);
    const auto asked = Clock::now();
    Queue::script(asi, queue_, "jobs/take",
                  {work_->id, std::to_string(room), std::to_string(work_->hold.count()),
                   std::to_string(limits.maxBytes), std::to_string(limits.deadLetters),
                   std::to_string(work_->options.losses)});
    asi.add([this, asked, room, begin = std::move(begin)](IAsyncSteps&, const Reply& answer) {
        taken(answer, asked, room, begin);
    });
}

void JobSource::taken(const Reply& answer, Clock::time_point asked, std::int64_t room,
                      const std::function<void(const Held&)>& begin) {
    const auto& jobs = answer.list.at(0).list;
    const std::int64_t in = answer.list.at(1).number;
    const bool isKeeper = answer.list.at(2).number == 1;
    isIdle_ = static_cast<std::int64_t>(jobs.size()) < room;
    next_ = Clock::time_point::max();
    if (isIdle_) {
        // One idle worker is there in time; the others look whether it was, and sometimes anyway.
        const auto late = isKeeper ? std::chrono::milliseconds(0) : work_->hold / 6;
        auto wait = work_->hold * 2 / 3;
        if (in >= 0) wait = std::min(wait, std::chrono::milliseconds(in) + late);
        next_ = Clock::now() + wait;
    }
    beginAll(
        jobs, [&](const Reply& one) { return heldOf(queue_, one, expiryOf(asked)); }, begin);
}

void JobSource::leave(IAsyncSteps& asi, bool always) {
    if (!std::exchange(isIdle_, false) && !always) return;
    next_ = Clock::time_point::max();
    Queue::script(asi, queue_, "jobs/leave", {work_->id, "0"});
}

void JobSource::end(IAsyncSteps& asi) {
    Queue::script(asi, queue_, "jobs/leave", {work_->id, "1"});
}

void JobSource::renew(IAsyncSteps& asi) {
    std::vector<Held> jobs;
    Words words{std::to_string(work_->hold.count())};
    for (const Held& job : held_) {
        if (job->end == End::lost) continue;
        jobs.push_back(job);
        words.insert(words.end(), {jobOf(job).data.id, jobOf(job).data.token});
    }
    if (jobs.empty()) return;
    const auto asked = Clock::now();
    Queue::script(asi, queue_, "jobs/renew", std::move(words));
    asi.add([this, asked, jobs = std::move(jobs)](IAsyncSteps&, const Reply& lost) {
        for (const Held& job : jobs) {
            const auto isIt = [&job](const Reply& id) { return id.text == jobOf(job).data.id; };
            if (std::ranges::any_of(lost.list, isIt)) {
                job->stop(End::lost);
            } else {
                job->expires = std::max(job->expires, expiryOf(asked));
            }
        }
    });
}

Clock::time_point JobSource::expiryOf(Clock::time_point asked) const noexcept {
    return asked + lifeOf(work_->hold);
}

std::unique_ptr<Report> JobSource::refusal(const Held& work) {
    const HeldJob& job = jobOf(work);
    const std::string why = whyInvalid(job);
    if (why.empty()) return nullptr;
    const JobFailures failures{jobFailure(job.data.attempt, failureOf("InvalidJob", why))};
    return std::make_unique<Report>(failed(job, -1, failures));
}

std::string JobSource::whyInvalid(const HeldJob& job) const {
    WorkerOptions& options = work_->options;
    const std::int64_t version = job.data.version;
    if (version > options.version) {
        return "its version is " + std::to_string(version) + ", the handler knows " +
               std::to_string(options.version);
    }
    std::string why = whyNoPayload(job.text, Queue::limits(queue_).maxDepth);
    if (!why.empty() || !options.accepts) return why;
    try {
        if (options.accepts(job.text, version)) return {};
    } catch (...) {
        return failuresOf(std::current_exception()).front().info;
    }
    return "the handler does not accept its payload";
}

WorkSource::Handler JobSource::handlerOf(const Held& work) {
    const auto job = std::static_pointer_cast<HeldJob>(work);
    return work_->handler.with(job->text, Job(std::shared_ptr<const Job::Data>(job, &job->data)));
}

std::string JobSource::nameOf(const Held& work) const {
    return queue_.name() + "/" + jobOf(work).data.id;
}

Report JobSource::back(const Held& work) {
    const Job::Data& of = jobOf(work).data;
    return {"jobs/putback", {of.id, of.token}, true};
}

void JobSource::tell(IAsyncSteps& asi, const Report& report) {
    Queue::script(asi, queue_, report.script, report.words);
}

Report JobSource::ended(const Held& work, const Outcome& outcome) {
    const HeldJob& job = jobOf(work);
    if (outcome.kind == OutcomeKind::ok) return {"jobs/done", {job.data.id, job.data.token}};
    if (outcome.kind == OutcomeKind::cancelled) return back(work);
    const std::int64_t attempt = job.data.attempt;
    JobFailures failures = jobFailuresOf(outcome.error, attempt);
    std::int64_t wait = -1;
    try {
        wait =
            waitAfter(work_->options.retry, attempt, errorOf(outcome.error), work_->tool.random());
    } catch (...) {
        const JobFailures thrown = jobFailuresOf(std::current_exception(), attempt);
        failures.insert(failures.begin(), thrown.begin(), thrown.end());
    }
    return failed(job, wait, failures);
}

/// The first of them is why.
Report JobSource::failed(const HeldJob& job, std::int64_t wait, const JobFailures& failures) const {
    const JobQueueOptions& limits = Queue::limits(queue_);
    const auto& [attempt, code, info, path] = failures.front();
    const JobFailures oldestFirst(failures.rbegin(), failures.rend());
    return {"jobs/fail",
            {job.data.id, job.data.token, std::to_string(wait), code, info, path,
             textOf(together(job.data.causes, oldestFirst)), std::to_string(limits.maxBytes),
             std::to_string(limits.deadLetters)}};
}

}  // namespace steptree::detail::redis
