#include "steptree/virtualtool.hpp"

#include <algorithm>
#include <string>

#include "misuse.hpp"
#include "order.hpp"
#include "pass.hpp"

namespace steptree {

namespace {
constexpr std::uint32_t kBusy = 256;
constexpr std::int64_t kForever = detail::ToolCore::kNever;
}  // namespace

VirtualTool::VirtualTool(IMemPool* pool) : VirtualTool(Options{.pool = pool}) {}

VirtualTool::VirtualTool(const Options& options)
    : Tool(new detail::ToolCore(nullptr, options.pool)) {
    core().seed(options.seed);
    const Order& order = options.order;
    if (order.seed != 0 || order.choices) choices_ = std::make_unique<Choices>(order);
}

VirtualTool::~VirtualTool() = default;

const std::vector<std::uint32_t>& VirtualTool::alternatives() const noexcept {
    static const std::vector<std::uint32_t> none;
    return choices_ != nullptr ? choices_->alternatives() : none;
}

void VirtualTool::run() {
    runUntil(kForever);
}

void VirtualTool::advance(std::int64_t ms) {
    if (ms < 0) detail::misuse("advance: expected at least 0 ms, got " + std::to_string(ms));
    runUntil(ms > kForever - 1 - now() ? kForever - 1 : now() + ms);
}

void VirtualTool::runUntil(std::int64_t end) {
    detail::ToolCore& core = this->core();
    core.drive("run");
    for (;;) {
        if (!pass()) return;  // a callback may destroy the tool
        const bool busy = isBusy();
        const bool over = busy && core.now() >= end;
        if (busy && !over) moveTo(core.now() + 1);
        if ((choices_ == nullptr || over) && !core.timers()) return;
        if (over) return;
        const bool ready = core.ready();
        const std::int64_t due = ready ? core.now() : core.nextDue();
        if (const std::int64_t alarm = core.nextAlarm(); alarm <= lastBefore(due, end)) {
            if (alarm > core.now()) moveTo(alarm);
            if (!core.ring()) return;
            continue;
        }
        if (ready) continue;
        if (due > end || due == kForever) break;
        if (due > core.now()) moveTo(due);  // a busy instant may have passed it
    }
    if (end != kForever && end > core.now()) moveTo(end);
}

/// Alarms of who observes come behind all else of their instant. They are no work: nobody waits for
/// them, unless time goes there anyway.
std::int64_t VirtualTool::lastBefore(std::int64_t due, std::int64_t end) const noexcept {
    const std::int64_t last = std::min(due == kForever ? due : due - 1, end);
    return last == kForever ? now() : last;
}

/// With an order it is one of what may come next.
bool VirtualTool::pass() {
    detail::ToolCore& core = this->core();
    if (choices_ == nullptr) {
        const bool late = core.ready() && core.isLate();
        return (!late || core.timers()) && core.pass();
    }
    const std::size_t count = core.alternatives();
    if (!core.alive()) return core.pass();  // what came from another thread has destroyed the tool
    return core.passOf(choices_->choose(count));
}

/// At the end of a pass; one in which time has passed doesn't count.
bool VirtualTool::isBusy() noexcept {
    if (core().now() != instant_) moveTo(core().now());
    return core().bodies() >= kBusy;
}

void VirtualTool::moveTo(std::int64_t time) noexcept {
    instant_ = time;
    core().moveTo(time);
    core().forgetBodies();
}

void VirtualTool::work(std::int64_t ms) {
    if (ms < 0 || ms == kForever) {
        const std::string got = ms == kForever              ? "no end"
                                : ms == detail::kNoDuration ? "no number"
                                                            : std::to_string(ms);
        detail::misuse("elapse: expected a finite time of at least 0 ms, got " + got);
    }
    core().elapse(ms);
}

}  // namespace steptree
