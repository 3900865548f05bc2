#include "jobsource.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

#include "jobfailure.hpp"

namespace steptree::detail::redis {

namespace {

Wire& wireOf(const JobQueue& queue) noexcept {
    return RedisConnection::Access::wire(JobQueue::Access::connection(queue));
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
                 .causes = failuresIn(of.at(8).text)};
    job->text = of.at(4).text;
    job->left = of.at(5).number;
    job->expires = expires;
    return job;
}

}  // namespace

void HeldJob::stop(End why) {
    if (end == End::lost || end == why) return;
    end = why;
    if (why == End::lost) lost.request_stop();
    stops.request_stop();
}

JobSource::JobSource(JobQueue& queue, const SourceSettings& settings)
    : queue_(queue),
      settings_(settings),
      channel_(JobQueue::Access::base(queue) + ":wake:" + settings.id) {
    wireOf(queue).listen(channel_, settings_.waker);
    listens_ = true;
}

void JobSource::endListening() noexcept {
    if (std::exchange(listens_, false)) wireOf(queue_).leave(channel_, *settings_.waker);
}

void JobSource::take(IAsyncSteps& asi, std::int64_t room, std::function<void(const Held&)> begin) {
    const JobQueueOptions& limits = JobQueue::Access::limits(queue_);
    const auto asked = Clock::now();
    askScript(asi, queue_, "jobs/take",
              {settings_.id, std::to_string(room), std::to_string(settings_.hold.count()),
               std::to_string(limits.maxBytes), std::to_string(limits.deadLetters),
               std::to_string(settings_.losses)});
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
        const auto late = isKeeper ? std::chrono::milliseconds(0) : settings_.hold / 6;
        auto wait = settings_.hold * 2 / 3;
        if (in >= 0) wait = std::min(wait, std::chrono::milliseconds(in) + late);
        next_ = Clock::now() + wait;
    }
    std::exception_ptr failure;  // who isn't begun is taken over when his lease has ended
    for (const Reply& one : jobs) {
        Held job;
        try {
            job = heldOf(queue_, one, expiryOf(asked));
            held_.insert(job);
            begin(job);
        } catch (...) {
            held_.erase(job);
            failure = std::current_exception();
        }
    }
    if (failure != nullptr) std::rethrow_exception(failure);
}

void JobSource::leave(IAsyncSteps& asi, bool always) {
    if (!std::exchange(isIdle_, false) && !always) return;
    next_ = Clock::time_point::max();
    askScript(asi, queue_, "jobs/leave", {settings_.id, "0"});
}

void JobSource::end(IAsyncSteps& asi) {
    askScript(asi, queue_, "jobs/leave", {settings_.id, "1"});
}

void JobSource::renew(IAsyncSteps& asi) {
    std::vector<Held> jobs;
    Words words{std::to_string(settings_.hold.count())};
    for (const Held& job : held_) {
        if (job->end == End::lost) continue;
        jobs.push_back(job);
        words.insert(words.end(), {job->data.id, job->data.token});
    }
    if (jobs.empty()) return;
    const auto asked = Clock::now();
    askScript(asi, queue_, "jobs/renew", std::move(words));
    asi.add([this, asked, jobs = std::move(jobs)](IAsyncSteps&, const Reply& lost) {
        for (const Held& job : jobs) {
            const auto isIt = [&job](const Reply& id) { return id.text == job->data.id; };
            if (std::ranges::any_of(lost.list, isIt)) {
                job->stop(End::lost);
            } else {
                job->expires = std::max(job->expires, expiryOf(asked));
            }
        }
    });
}

Clock::time_point JobSource::expire(Clock::time_point now) {
    auto first = Clock::time_point::max();
    for (const Held& job : std::vector<Held>(held_.begin(), held_.end())) {
        if (job->end == End::lost) continue;
        if (job->expires <= now) {
            job->stop(End::lost);
        } else {
            first = std::min(first, job->expires);
        }
    }
    return first;
}

/// Earlier than in Redis, by a twentieth.
Clock::time_point JobSource::expiryOf(Clock::time_point asked) const noexcept {
    return asked + settings_.hold * 19 / 20;
}

}  // namespace steptree::detail::redis
