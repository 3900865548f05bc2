#include "steptree/stallwatch.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "error.hpp"
#include "flowlook.hpp"
#include "misuse.hpp"
#include "ontool.hpp"
#include "path.hpp"
#include "report.hpp"
#include "stallwatch.hpp"
#include "steptree/clock.hpp"
#include "steptree/snapshottext.hpp"
#include "waiting.hpp"
#include "waittext.hpp"

namespace steptree {

namespace detail {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;  // ns
constexpr std::size_t kLines = 50;                // of a tree

/// Throws bad_alloc.
void tell(Step& at, std::string_view code, const std::string& what, const std::string& tree) {
    const std::string info = pathOf(at) + ' ' + what + '\n' + tree;
    report(*at.line->flow, raisedBy(at, code, info));
}

}  // namespace

Stalls::Stalls(ToolCore& core, std::int64_t body, std::int64_t wait, const SnapshotOptions& tree,
               std::shared_ptr<Watchdog> dog)
    : Sink(core, body > 0),
      body_(body * kMillisecond),
      wait_(wait),
      tree_(tree),
      dog_(std::move(dog)) {}

/// Throws bad_alloc.
std::string Stalls::treeOf(Flow& flow) const {
    return snapshotText(FlowLook(*flow.tool, tree_).show(flow), {.max = kLines});
}

void Stalls::note(const EventData& event) noexcept {
    Step* const at = event.told();
    if (at == nullptr) return;
    switch (event.what) {
        case What::body:
            return begins(*event.step);
        case What::returned:
            return returned(*event.step);
        case What::waits:
            return waitsFrom(*at, *event.line);
        default:
            return waits_.remove(at);
    }
}

void Stalls::begins(Step& step) noexcept {
    if (step_ != nullptr) return;
    Clock& clock = core->clock();
    Clock& real = Clock::steady();
    step_ = &step;
    began_ = clock.nanoseconds();
    dog_->begins(step, &clock == &real ? began_ : real.nanoseconds());
}

void Stalls::returned(const Step& step) noexcept {
    if (step_ != &step) return;  // it was called before the watch was made
    const std::int64_t took = core->clock().nanoseconds() - began_;
    ends();
    if (took <= body_) return;
    held_ = took;
    core->engine.observers->speaks = true;
}

/// Also where nobody is told that it has returned.
void Stalls::ends() noexcept {
    if (std::exchange(step_, nullptr) != nullptr) dog_->ends();
}

/// Behind observers, and as they are called.
void Stalls::speak(const EventData& event) noexcept try {
    if (const std::int64_t held = std::exchange(held_, 0); held > 0) {
        const std::string ms = std::to_string(held / kMillisecond);
        tell(*event.step, errors::Stalled, "held the loop for " + ms + " ms", treeOf(event.flow));
    }
} catch (const std::bad_alloc&) {
    return;
}

void Stalls::turned() noexcept {
    ends();
}

void Stalls::close() noexcept {
    alarm = ToolCore::kNever;
    if (dog_ != nullptr) dog_->stop();
}

/// The event has the time at which its turn began.
void Stalls::waitsFrom(Step& at, Line& line) noexcept {
    if (wait_ > 0 && waits_.put(at, line, core->now()) && !armed_) arm();
}

/// The time of a tool with a clock is a rounded one.
void Stalls::arm() noexcept {
    const WaitList::Wait* const first = waits_.first();
    armed_ = first != nullptr;
    if (!armed_) return;
    if (core->standsStill()) {
        alarm = wait_ > ToolCore::kNever - first->since ? ToolCore::kNever : first->since + wait_;
    } else {
        dog_->alarm(wait_ - (core->now() - first->since) + 1);
    }
}

void Stalls::ring() noexcept {
    const std::int64_t due = std::exchange(alarm, ToolCore::kNever);
    if (over || !core->alive()) return;
    const std::int64_t now = core->now();
    const std::int64_t until = core->standsStill() ? due : now - 1;
    armed_ = false;
    Trees trees;
    while (const WaitList::Wait* const first = waits_.first()) {
        if (until - first->since < wait_) break;
        const WaitList::Wait wait = *first;
        waits_.remove(wait.at);
        tellWait(wait, now, trees);
        if (over || !core->alive()) return;
    }
    if (!armed_) arm();
}

/// Short of memory it isn't told.
void Stalls::tellWait(const WaitList::Wait& wait, std::int64_t now, Trees& trees) noexcept try {
    const WaitSnapshot waits = waitOf(*wait.line);
    if (waits.what.empty() || waits.what == "turn" || waits.what == "code") return;
    Flow& flow = *wait.line->flow;
    const auto [tree, isNew] = trees.try_emplace(&flow);
    if (isNew) tree->second = treeOf(flow);
    const auto since = observersAt(*wait.line).times.waitsSince(*wait.line);  // as the tree says it
    const std::string ms = std::to_string(now - since.value_or(wait.since));
    const std::string text = waitText(waits) + ", for " + ms + " ms now";
    tell(*wait.at, errors::StalledWait, text, tree->second);
} catch (const std::bad_alloc&) {
    return;
}

}  // namespace detail

namespace {

/// 0: none was given.
std::int64_t checkLimit(const char* name, const std::optional<Period>& time) {
    if (!time) return 0;
    const std::int64_t ms = time->milliseconds();
    if (ms < 1) {
        detail::misuse(std::string("StallWatch: ") + name +
                       ": expected milliseconds, more than 0, got " + std::to_string(ms));
    }
    constexpr std::int64_t kLongest =
        100LL * 365 * 24 * 3600 * 1000;  // what is added to it is less
    return std::min(ms, kLongest);
}

}  // namespace

StallWatch::StallWatch(Tool& tool, StallOptions options) {
    detail::ToolCore& core = tool.core();
    detail::checkThread(core, "StallWatch");
    const std::int64_t body = checkLimit("body", options.body);
    const std::int64_t wait = checkLimit("wait", options.wait);
    if (body == 0 && (wait == 0 || options.onStuck))
        detail::misuse(wait == 0 ? "StallWatch: expected body or wait"
                                 : "StallWatch: expected body");
    std::shared_ptr<detail::Watchdog> dog;
    if (body > 0 || !core.standsStill())
        dog = std::make_shared<detail::Watchdog>(core, body, std::move(options.onStuck));
    auto stalls = std::make_shared<detail::Stalls>(core, body, wait,
                                                   SnapshotOptions{.locate = options.locate}, dog);
    if (dog != nullptr) dog->start(stalls);
    try {
        detail::observersIn(core).add(stalls);
    } catch (...) {
        if (dog != nullptr) dog->end();
        throw;
    }
    stalls_ = std::move(stalls);
    watchdog_ = std::move(dog);
}

StallWatch::StallWatch(StallWatch&& other) noexcept = default;
StallWatch& StallWatch::operator=(StallWatch&& other) noexcept {
    StallWatch taken(std::move(other));
    std::swap(stalls_, taken.stalls_);  // what was here ends
    std::swap(watchdog_, taken.watchdog_);
    return *this;
}
StallWatch::~StallWatch() {
    cancel();
}

void StallWatch::cancel() noexcept {
    if (stalls_ == nullptr) return;
    detail::endListening(*stalls_);
    if (watchdog_ != nullptr) watchdog_->end();
}

bool StallWatch::valid() const noexcept {
    return stalls_ != nullptr && !stalls_->over;
}

}  // namespace steptree
