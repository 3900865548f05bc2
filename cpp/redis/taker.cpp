#include "taker.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "steptree/delay.hpp"

namespace steptree::detail::redis {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestPause{2000};
constexpr std::int64_t kMostAtOnce = 1000;

std::int64_t msTill(Clock::time_point time) noexcept {
    if (time == Clock::time_point::max()) return kForever;
    const auto left = std::chrono::ceil<milliseconds>(time - Clock::now()).count();
    return std::max<std::int64_t>(0, left);
}

}  // namespace

/// Waits till the gate is open, so long at most.
void Taker::waits(IAsyncSteps& asi, ThreadGate& gate, std::int64_t ms) {
    asi.add(
        [&gate, ms](IAsyncSteps& waiting) {
            if (ms != kForever) waiting.setTimeout(ms);
            gate.wait(waiting);
        },
        [](IAsyncSteps& late, const std::string& code) {
            if (code == errors::Timeout) late.success();
        });
}

Taker::Taker(Tool& tool, TakerLimits limits, std::shared_ptr<Waker> waker)
    : core_(tool.core()),
      limits_(std::move(limits)),
      waker_(std::move(waker)),
      held_({.open = false}),
      empty_({.open = true}),
      ends_({.open = false}) {
    for (auto* const scope : {&telling_, &work_, &own_, &ending_}) scope->emplace(tool);
}

void Taker::start() {
    try {
        goesOn(step([this](IAsyncSteps& asi) { looks(asi); }));
        for (const auto& each : sources_) {
            WorkSource* const source = each.get();
            goesOn(step([this, source](IAsyncSteps& asi) { renews(asi, *source); }));
            goesOn(step([source](IAsyncSteps& asi) { source->watch(asi); }));
        }
        goesOn(step([this](IAsyncSteps& asi) { expires(asi); }));
    } catch (...) {
        end();
        throw;
    }
}

void Taker::goesOn(const steptree::Step<>& flow) {
    own_->start(flow, {.done = [](Outcome&) {}});
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

}  // namespace steptree::detail::redis
