#include "working.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "jobfailure.hpp"
#include "jobretry.hpp"
#include "jobtext.hpp"
#include "misuse.hpp"
#include "newid.hpp"
#include "steptree/delay.hpp"

namespace steptree::detail::redis {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestPause{2000};
constexpr milliseconds kEndLimit{1000};
constexpr std::int64_t kMostAtOnce = 1000;

const auto kNobody = [](Outcome&) {};

/// Others look up to a sixth of that later.
milliseconds holdOf(milliseconds lease) noexcept {
    return lease * 3 / 4;
}

/// Waits till the gate is open, so long at most.
void waits(IAsyncSteps& asi, ThreadGate& gate, std::int64_t ms) {
    asi.add(
        [&gate, ms](IAsyncSteps& waiting) {
            if (ms != kForever) waiting.setTimeout(ms);
            gate.wait(waiting);
        },
        [](IAsyncSteps& late, const std::string& code) {
            if (code == errors::Timeout) late.success();
        });
}

std::int64_t msTill(Clock::time_point time) noexcept {
    if (time == Clock::time_point::max()) return kForever;
    const auto left = std::chrono::ceil<milliseconds>(time - Clock::now()).count();
    return std::max<std::int64_t>(0, left);
}

}  // namespace

Working::Working(Tool& tool, const std::vector<JobQueue*>& queues, Worker::Handler handler,
                 WorkerOptions options)
    : tool_(tool),
      handler_(std::move(handler)),
      options_(std::move(options)),
      waker_(std::make_shared<Waker>()),
      held_({.open = false}),
      empty_({.open = true}),
      ends_({.open = false}) {
    for (auto* const scope : {&telling_, &jobs_, &own_, &ending_}) scope->emplace(tool);
    const SourceSettings settings{newId(), holdOf(options_.lease), options_.losses, waker_};
    for (JobQueue* const queue : queues) {
        sources_.push_back(std::make_unique<JobSource>(*queue, settings));
    }
}

void Working::start() {
    own_->start(step([this](IAsyncSteps& asi) { looks(asi); }), {.done = kNobody});
    for (const auto& each : sources_) {
        own_->start(step([this, source = each.get()](IAsyncSteps& asi) { renews(asi, *source); }),
                    {.done = kNobody});
    }
    own_->start(step([this](IAsyncSteps& asi) { expires(asi); }), {.done = kNobody});
}

/// Each scope before those that its flows use.
void Working::end() noexcept {
    isGone_ = true;
    for (auto* const scope : {&ending_, &own_, &jobs_, &telling_}) scope->reset();
    for (const auto& source : sources_) source->endListening();
}

void Working::looks(IAsyncSteps& asi) {
    asi.loop([this](IAsyncSteps& round) {
        if (drains_) round.breakLoop();
        waker_->gate.close();
        isTaking_ = true;
        empty_.close();
        round.add([this](IAsyncSteps& taking) { takes(taking); },
                  [this](IAsyncSteps& failed, const std::string&) {
                      report(failed);
                      ++failures_;
                      failed.success();
                  });
        round.add([this](IAsyncSteps& pausing) {
            isTaking_ = false;
            checkEmpty();
            if (!drains_) pauses(pausing);
        });
    });
}

void Working::takes(IAsyncSteps& asi) {
    for (const auto& each : sources_) {
        asi.add([this, source = each.get()](IAsyncSteps& taking) {
            if (drains_) return;
            const std::int64_t room = options_.concurrency - size_;
            if (room <= 0) return source->leave(taking);
            source->take(taking, std::min(room, kMostAtOnce),
                         [this, source](const Held& job) { begin(*source, job); });
        });
    }
    asi.add([this](IAsyncSteps&) { failures_ = 0; });
}

void Working::pauses(IAsyncSteps& asi) {
    if (failures_ > 0) {
        const milliseconds pause = milliseconds(25) * (1 << std::min(failures_, 10));
        return waits(asi, ends_, std::min(pause, kLongestPause).count());
    }
    auto until = Clock::time_point::max();
    for (const auto& source : sources_) until = std::min(until, source->next());
    waits(asi, waker_->gate, msTill(until));
}

void Working::renews(IAsyncSteps& asi, JobSource& source) {
    asi.loop([this, &source](IAsyncSteps& round) {
        const milliseconds every = holdOf(options_.lease) / 3;
        round.add(delay(every));
        round.add(
            [every, &source](IAsyncSteps& renewing) {
                renewing.setTimeout(every);
                source.renew(renewing);
            },
            [this](IAsyncSteps& failed, const std::string&) {
                report(failed);
                failed.success();
            });
    });
}

void Working::expires(IAsyncSteps& asi) {
    asi.loop([this](IAsyncSteps& round) {
        held_.wait(round);
        round.add([this](IAsyncSteps& looking) {
            auto first = Clock::time_point::max();
            for (const auto& source : sources_) {
                first = std::min(first, source->expire(Clock::now()));
            }
            if (first == Clock::time_point::max()) return held_.close();
            looking.add(delay(msTill(first)));
        });
    });
}

/// What isn't begun here is taken over by others when its lease has ended.
void Working::begin(JobSource& source, const Held& job) {
    const bool isLate = job->expires <= Clock::now();  // the answer took longer than the lease
    if (isLate) job->expires = Clock::time_point::max();
    const bool returns = drains_ || isLate;
    const std::string why = returns ? "" : whyInvalid(source, *job);
    if (returns) {
        settle(source, job, "jobs/putback");
    } else if (!why.empty()) {
        const Failures failures{failure(job->data.attempt, "InvalidJob", why)};
        settle(source, job, "jobs/fail", failing(source, *job, -1, failures));
    } else {
        run(source, job);
    }
    ++going_;
    empty_.close();
    held_.open();
}

void Working::run(JobSource& source, const Held& job) {
    const std::shared_ptr<const Job::Data> data(job, &job->data);
    const auto bound = handler_.with(job->text, Job(data));
    const auto limited = job->left < 0 ? bound : bound.timeout(job->left);
    jobs_->start(limited, {.done = [self = shared_from_this(), &source,
                                    job](Outcome& outcome) { self->ended(source, job, outcome); },
                           .signal = job->stops.get_token()});
    ++size_;
}

std::string Working::whyInvalid(const JobSource& source, const HeldJob& job) {
    const std::int64_t version = job.data.version;
    if (version > options_.version) {
        return "its version is " + std::to_string(version) + ", the handler knows " +
               std::to_string(options_.version);
    }
    std::string why = whyNoPayload(job.text, JobQueue::Access::limits(source.queue()).maxDepth);
    if (!why.empty() || !options_.accepts) return why;
    try {
        if (options_.accepts(job.text, version)) return {};
    } catch (...) {
        return failuresOf(std::current_exception(), 1).front().info;
    }
    return "the handler does not accept its payload";
}

/// There is room for another one once what has come of it is on its way: Redis keeps their order.
void Working::ended(JobSource& source, const Held& job, const Outcome& outcome) {
    --size_;
    waker_->gate.open();
    try {
        if (isGone_ || job->end == End::lost) return forget(source, job);
        if (outcome.kind == OutcomeKind::ok) return settle(source, job, "jobs/done");
        if (outcome.kind == OutcomeKind::cancelled) return settle(source, job, "jobs/putback");
        settle(source, job, "jobs/fail", failed(source, *job, outcome));
    } catch (...) {
        forget(source, job);  // no memory
    }
}

Words Working::failed(const JobSource& source, const HeldJob& job, const Outcome& outcome) {
    const std::int64_t attempt = job.data.attempt;
    Failures failures = failuresOf(outcome.error, attempt);
    std::int64_t wait = -1;
    try {
        wait = waitAfter(options_.retry, attempt, errorOf(outcome.error), tool_.random());
    } catch (...) {
        const Failures thrown = failuresOf(std::current_exception(), attempt);
        failures.insert(failures.begin(), thrown.begin(), thrown.end());
    }
    return failing(source, job, wait, failures);
}

/// The first of them is why.
Words Working::failing(const JobSource& source, const HeldJob& job, std::int64_t wait,
                       const Failures& failures) {
    const JobQueueOptions& limits = JobQueue::Access::limits(source.queue());
    const auto& [attempt, code, info, path] = failures.front();
    const Failures oldestFirst(failures.rbegin(), failures.rend());
    return {std::to_string(wait),
            code,
            info,
            path,
            textOf(together(job.data.causes, oldestFirst)),
            std::to_string(limits.maxBytes),
            std::to_string(limits.deadLetters)};
}

/// It's tried till Redis has answered, or the lease is lost.
void Working::settle(JobSource& source, const Held& job, const char* script, Words more) {
    more.insert(more.begin(), {job->data.id, job->data.token});
    const auto once = [this, &source, script,
                       words = std::move(more)](IAsyncSteps& asi) -> Values<Reply> {
        asi.add([&source, script,
                 words](IAsyncSteps& asking) { askScript(asking, source.queue(), script, words); },
                [this](IAsyncSteps& failed, const std::string&) { report(failed); });
        return {};
    };
    const RetryOptions again{.max = kUnlimited,
                             .backoff = {.base = 50, .cap = 1000, .jitter = 0},
                             .on = [](const std::string&) -> RetryDecision { return true; }};
    const bool givesBack = std::string_view(script) == "jobs/putback";
    const auto counted = [this, givesBack](IAsyncSteps&, const Reply& answer) {
        if (givesBack) putBack_ += static_cast<std::size_t>(answer.number);
    };
    telling_->start(
        steps(retry(again, once), counted),
        {.done = [self = shared_from_this(), &source, job](Outcome&) { self->forget(source, job); },
         .signal = job->lost.get_token()});
}

void Working::forget(JobSource& source, const Held& job) noexcept {
    source.drop(job);
    --going_;
    checkEmpty();
}

void Working::checkEmpty() noexcept {
    if (going_ == 0 && !isTaking_) empty_.open();
}

void Working::report(IAsyncSteps& failed) {
    const StepError* const error = failed.state().lastError();
    if (error != nullptr && options_.report) options_.report(*error);
}

Future<std::size_t> Working::drain(std::int64_t ms) {
    if (ms < 0) misuse("drain: expected a time of at least 0 ms");
    const std::lock_guard locked(mutex_);
    if (!drained_) {
        drained_ = ending_->run(
            step<Values<>, Values<std::size_t>>([this, ms](IAsyncSteps& asi) { ends(asi, ms); }));
    }
    return *drained_;
}

void Working::ends(IAsyncSteps& asi, std::int64_t ms) {
    drains_ = true;
    waker_->gate.open();
    ends_.open();
    own_->start(step([this](IAsyncSteps& leaving) {  // from now on others are told in its place
                    for (const auto& source : sources_) source->leave(leaving, true);
                }),
                {.done = kNobody});
    waits(asi, empty_, ms);
    asi.add([this](IAsyncSteps& stopping) {
        for (const auto& source : sources_) {
            for (const Held& job :
                 std::vector<Held>(source->held().begin(), source->held().end())) {
                job->stop(End::drained);
            }
        }
        // While Redis doesn't answer, jobs are left when their leases end.
        waits(stopping, empty_, options_.lease.count());
    });
    for (const auto& each : sources_) {
        asi.add(
            [source = each.get()](IAsyncSteps& leaving) {
                leaving.setTimeout(kEndLimit);
                source->end(leaving);
            },
            [this](IAsyncSteps& failed, const std::string&) {
                report(failed);
                failed.success();
            });
    }
    for (Scope* const scope : {&*jobs_, &*telling_, &*own_}) {
        asi.add([scope](IAsyncSteps& closing) { closing.await(scope->close()); });
    }
    asi.add([this](IAsyncSteps&) { return putBack_; });
}

}  // namespace steptree::detail::redis
