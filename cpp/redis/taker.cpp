#include "taker.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "misuse.hpp"
#include "steptree/delay.hpp"
#include "steptree/retry.hpp"

namespace steptree::detail::redis {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestPause{2000};
constexpr milliseconds kEndLimit{1000};
constexpr std::int64_t kMostAtOnce = 1000;

const auto kNobody = [](Outcome&) {};

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

Taker::Taker(Tool& tool, TakerLimits limits, std::shared_ptr<Waker> waker)
    : limits_(std::move(limits)),
      waker_(std::move(waker)),
      held_({.open = false}),
      empty_({.open = true}),
      ends_({.open = false}) {
    for (auto* const scope : {&telling_, &work_, &own_, &ending_}) scope->emplace(tool);
}

void Taker::start() {
    try {
        own_->start(step([this](IAsyncSteps& asi) { looks(asi); }), {.done = kNobody});
        for (const auto& each : sources_) {
            own_->start(
                step([this, source = each.get()](IAsyncSteps& asi) { renews(asi, *source); }),
                {.done = kNobody});
            own_->start(step([source = each.get()](IAsyncSteps& asi) { source->watch(asi); }),
                        {.done = kNobody});
        }
        own_->start(step([this](IAsyncSteps& asi) { expires(asi); }), {.done = kNobody});
    } catch (...) {
        end();
        throw;
    }
}

/// Each scope before those that its flows use.
void Taker::end() noexcept {
    isGone_ = true;
    for (auto* const scope : {&ending_, &own_, &work_, &telling_}) scope->reset();
    for (const auto& source : sources_) source->endListening();
}

void Taker::looks(IAsyncSteps& asi) {
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

void Taker::takes(IAsyncSteps& asi) {
    for (const auto& each : sources_) {
        asi.add([this, source = each.get()](IAsyncSteps& taking) {
            if (drains_) return;
            const std::int64_t room = limits_.concurrency - size_;
            if (room <= 0) return source->leave(taking);
            source->take(taking, std::min(room, kMostAtOnce),
                         [this, source](const Held& work) { begin(*source, work); });
        });
    }
    asi.add([this](IAsyncSteps&) { failures_ = 0; });
}

void Taker::pauses(IAsyncSteps& asi) {
    if (failures_ > 0) {
        const milliseconds pause = milliseconds(25) * (1 << std::min(failures_, 10));
        return waits(asi, ends_, std::min(pause, kLongestPause).count());
    }
    auto until = Clock::time_point::max();
    for (const auto& source : sources_) until = std::min(until, source->next());
    waits(asi, waker_->gate, msTill(until));
}

void Taker::renews(IAsyncSteps& asi, WorkSource& source) {
    asi.loop([this, &source](IAsyncSteps& round) {
        round.add(delay(source.renewIn()));
        round.add(
            [this, &source](IAsyncSteps& renewing) {
                renewing.setTimeout(limits_.lease / 4);
                source.renew(renewing);
            },
            [this](IAsyncSteps& failed, const std::string&) {
                report(failed);
                failed.success();
            });
    });
}

void Taker::expires(IAsyncSteps& asi) {
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
void Taker::begin(WorkSource& source, const Held& work) {
    const bool isLate = work->expires <= Clock::now();  // the answer took longer than the lease
    if (isLate) work->expires = Clock::time_point::max();
    if (drains_ || isLate) {
        settle(source, work, source.back(work));
    } else if (const auto refusal = source.refusal(work)) {
        settle(source, work, std::move(*refusal));
    } else {
        run(source, work);
    }
    ++going_;
    empty_.close();
    held_.open();
}

void Taker::run(WorkSource& source, const Held& work) {
    const auto bound = source.handlerOf(work);
    const auto limited = work->left < 0 ? bound : bound.timeout(work->left);
    work_->start(limited, {.done = [self = shared_from_this(), &source,
                                    work](Outcome& outcome) { self->ended(source, work, outcome); },
                           .signal = work->stops.get_token()});
    ++size_;
}

/// There is room for another one once what has come of it is on its way: Redis keeps their order.
void Taker::ended(WorkSource& source, const Held& work, const Outcome& outcome) {
    --size_;
    waker_->gate.open();
    try {
        if (isGone_ || work->end == End::lost) return forget(source, work);
        settle(source, work, source.ended(work, outcome));
    } catch (...) {
        source.lose(work);  // no memory
        forget(source, work);
    }
}

/// It's tried till Redis has answered, or the lease is lost.
void Taker::settle(WorkSource& source, const Held& work, Report report) {
    const bool counts = report.counts;
    const auto once = [this, &source,
                       report = std::move(report)](IAsyncSteps& asi) -> Values<Reply> {
        asi.add([&source, report](IAsyncSteps& telling) { source.tell(telling, report); },
                [this](IAsyncSteps& failed, const std::string&) { this->report(failed); });
        return {};
    };
    const RetryOptions again{.max = kUnlimited,
                             .backoff = {.base = 50, .cap = 1000, .jitter = 0},
                             .on = [](const std::string&) -> RetryDecision { return true; }};
    const auto counted = [this, counts](IAsyncSteps&, const Reply& answer) {
        if (counts) cut_ += static_cast<std::size_t>(answer.number);
    };
    telling_->start(steps(retry(again, once), counted),
                    {.done = [self = shared_from_this(), &source,
                              work](Outcome&) { self->forget(source, work); },
                     .signal = work->lost.get_token()});
}

void Taker::forget(WorkSource& source, const Held& work) noexcept {
    source.drop(work);
    --going_;
    checkEmpty();
}

void Taker::checkEmpty() noexcept {
    if (going_ == 0 && !isTaking_) empty_.open();
}

void Taker::report(IAsyncSteps& failed) {
    const StepError* const error = failed.state().lastError();
    if (error != nullptr && limits_.report) limits_.report(*error);
}

Future<std::size_t> Taker::drain(std::int64_t ms) {
    if (ms < 0) misuse("drain: expected a time of at least 0 ms");
    const std::lock_guard locked(mutex_);
    if (!drained_) {
        drained_ = ending_->run(
            step<Values<>, Values<std::size_t>>([this, ms](IAsyncSteps& asi) { ends(asi, ms); }));
    }
    return *drained_;
}

void Taker::ends(IAsyncSteps& asi, std::int64_t ms) {
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
            for (const Held& work :
                 std::vector<Held>(source->held().begin(), source->held().end())) {
                work->stop(End::drained);
            }
        }
        // While Redis doesn't answer, it is left when leases end.
        waits(stopping, empty_, limits_.lease.count());
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
    for (Scope* const scope : {&*work_, &*telling_, &*own_}) {
        asi.add([scope](IAsyncSteps& closing) { closing.await(scope->close()); });
    }
    asi.add([this](IAsyncSteps&) { return cut_; });
}

}  // namespace steptree::detail::redis
