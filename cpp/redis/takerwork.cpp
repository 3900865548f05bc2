#include <utility>

#include "error.hpp"
#include "failures.hpp"
#include "report.hpp"
#include "steptree/retry.hpp"
#include "taker.hpp"

/// What is begun, and what has come of it.
namespace steptree::detail::redis {

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
    if (isGone_) return forget(source, work);
    std::exception_ptr mistake;
    if (outcome.code == errors::InternalError) mistake = outcome.error;
    try {
        if (work->end == End::lost) {
            forget(source, work);
        } else {
            Report made = source.ended(work, outcome);
            if (made.mistake != nullptr) mistake = std::exchange(made.mistake, nullptr);
            settle(source, work, std::move(made));
        }
    } catch (...) {
        source.lose(work);  // no memory
        forget(source, work);
    }
    if (mistake != nullptr) tellMistake(source, work, mistake);
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
    if (error != nullptr && limits_.report) tell(*error);
}

/// Work goes on, whatever it does.
void Taker::tell(const StepError& error) noexcept {
    try {
        limits_.report(error);
    } catch (...) {
        return;
    }
}

/// Who hears of it may end this. Of one that nobody wants to hear it is said at least that it's
/// there.
void Taker::tellMistake(const WorkSource& source, const Held& work,
                        const std::exception_ptr& mistake) noexcept {
    try {
        const StepError known = errorOf(mistake);
        std::string path = source.nameOf(work);
        if (!known.path().empty()) path += "/" + known.path();
        const StepError told = raisedElsewhere(known.code(), known.info(), path, mistake);
        if (limits_.report) return tell(told);
        printReport("a mistake of a handler", *told.data().get());
    } catch (...) {
        return;  // no memory
    }
}

}  // namespace steptree::detail::redis
