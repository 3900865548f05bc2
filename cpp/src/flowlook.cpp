#include "flowlook.hpp"

#include <algorithm>
#include <utility>

#include "cleanup.hpp"
#include "extras.hpp"
#include "flowextras.hpp"
#include "ids.hpp"
#include "path.hpp"
#include "shelter.hpp"
#include "telling.hpp"
#include "timer.hpp"
#include "waits.hpp"
#include "written.hpp"

/// What flows show of themselves: their lines, read from the tree. Nothing is noted for it before
/// somebody asks. A line has one step open inside of the other, so it is a list; what branches is a
/// line inside of its last step. Lists of what is yet to be looked at, no calls inside of calls: a
/// flow may be a million levels deep.
namespace steptree::detail {

namespace {

/// A line that is shown, with a step in which others are, and the next one of these.
struct Hosting {
    LineSnapshot* shown;
    Step* host;
    Branch* next;
};

}  // namespace

FlowLook::FlowLook(ToolCore& core, const SnapshotOptions& options)
    : time(core.now()), now_(core.timeForTimers()), locates_(options.locate) {}

FlowSnapshot FlowLook::show(Flow& flow) {
    id_ = idOf(flow);
    touched.clear();
    FlowSnapshot shown{.id = id_, .name = {}, .state = "idle"};
    const FlowExtras& extras = *flow.flowExtras();
    if (extras.options != nullptr) shown.name = extras.options->name;
    shown.signal = extras.stopCallback.has_value();
    if (!flow.running) return shown;
    shown.state = (flow.bits & (kCancelLatch | kCancelling)) != 0 ? "cancelling" : "running";
    nearest_ = nullptr;
    showLines(flow, shown.line.emplace());
    if (nearest_ != nullptr) shown.deadline = nearest_->left(now_);
    if (!isObserved(flow)) return shown;
    if (const auto begun = observersAt(flow).times.begunAt(flow)) shown.age = time - *begun;
    return shown;
}

/// What stands in the list is the last one of its own.
void FlowLook::showLines(Line& root, LineSnapshot& shown) {
    std::vector<Hosting> open;
    const auto begin = [&](Line& line, LineSnapshot& into) {
        Step* const host = showLine(line, into);
        if (host != nullptr) open.push_back({&into, host, branchesOf(*host).eldest});
    };
    begin(root, shown);
    while (!open.empty()) {
        auto& [around, host, next] = open.back();
        if (next == nullptr) {
            showUnstarted(*host, *around);
            open.pop_back();
            continue;
        }
        Branch& branch = *std::exchange(next, next->younger);
        if (!isOpen(branch)) continue;
        LineSnapshot& into = around->lines.emplace_back();
        LineSnapshot& outer = *around;
        begin(branch, into);
        if (!into.steps.empty() || branch.top == nullptr) continue;
        outer.waits = std::move(into.waits);  // a map's, which waits for the next item
        outer.lines.pop_back();
    }
}

bool FlowLook::lookAtDeadlines(Step& step) {
    const auto look = [this](const Deadline& deadline) {
        if (deadline.armed() && (nearest_ == nullptr || deadline.due < nearest_->due))
            nearest_ = &deadline;
    };
    const auto* const timer = static_cast<TimerExtra*>(findExtra(step, Extra::timer));
    if (timer != nullptr && timer->fire == &fireTimeout) look(*timer);
    const bool shelters = (step.flags & kShelters) != 0;
    if (shelters) look(shelterOf(step));
    if (isDeferred(step)) look(shelterOf(*step.parent));
    return shelters || isDeferred(step);
}

Step* FlowLook::showLine(Line& line, LineSnapshot& shown) {
    ++lineLook_;
    chain_.clear();
    for (Step* at = line.top; at != nullptr; at = at->parent) chain_.push_back(at);
    Waits own;
    Step* last = line.top;
    for (std::size_t i = chain_.size(); i-- > 0;) {
        last = chain_[i];
        addStep(shown.steps, *last, elementOf);
        const Kind& kind = kindOf(*last);
        if (kind.waits != nullptr) own = kind.waits(*last);
        if (own.what != Waits::nothing && !kind.hasBranches) break;
    }
    if (line.top == nullptr && line.isBranch() && line.first != nullptr)
        addStep(shown.steps, *line.first, elementOf);
    if (own.what == Waits::nothing && last != nullptr) own = waitsOfExtra(*last);
    const Waits waits = waitsOf(line, own);
    if (waits.what != Waits::nothing) shown.waits = showWait(line, waits);
    for (std::size_t i = chain_.size(); i-- > 0;) showHolder(line, *chain_[i], *last);
    for (Step* step : chain_) {
        if (lookAtDeadlines(*step)) break;
    }
    const bool hosts = last != nullptr && last == line.top && kindOf(*last).hasBranches;
    return hosts ? last : nullptr;
}

void FlowLook::showUnstarted(Step& host, LineSnapshot& around) {
    for (Step* at = unstartedOf(host); at != nullptr; at = at->next) {
        LineSnapshot& shown = around.lines.emplace_back();
        addStep(shown.steps, *at, branchElementOf);
        shown.waits = WaitSnapshot{.what = "turn"};
    }
}

void FlowLook::addStep(std::vector<StepSnapshot>& into, Step& step, std::string (&element)(Step&)) {
    const char* const kind = callOf(step);
    const auto* const timer = static_cast<TimerExtra*>(findExtra(step, Extra::timer));
    std::optional<std::int64_t> timeout;
    if (timer != nullptr && timer->armed() && timer->fire == &fireTimeout)
        timeout = timer->left(now_);
    std::string source = locates_ ? writtenAt(step) : std::string();
    if (hasElement(step)) {
        into.push_back({element(step), kind, timeout, std::move(source)});
        return;
    }
    if (into.empty()) return;
    StepSnapshot& around = into.back();
    around.kind = callWith(around.kind.c_str(), kind);
    if (timeout) around.timeout = std::min(*timeout, around.timeout.value_or(*timeout));
    if (!source.empty()) around.source = std::move(source);
}

WaitSnapshot FlowLook::showWait(Line& line, const Waits& waits) {
    WaitSnapshot shown = showWaitFor(line, waits);
    if (waits.what <= Waits::code || !isObserved(*line.flow)) return shown;
    if (const auto since = observersAt(line).times.waitsSince(line)) shown.since = time - *since;
    return shown;
}

WaitSnapshot FlowLook::showWaitFor(Line& line, const Waits& waits) {
    WaitSnapshot shown{.what = wordOf(waits.what)};
    if (waits.due != nullptr) shown.ms = waits.due->left(now_);
    if (waits.name != nullptr) shown.name = *waits.name;
    GuardSeen* const seen = waits.on != nullptr ? look_.at(*waits.on) : nullptr;
    if (seen == nullptr) return shown;
    shown.kind = look_.asked();
    show(*seen);
    shown.guard = seen->number;
    shown.name = seen->name;
    const auto place = seen->places.find(&line);
    if (place != seen->places.end()) shown.place = place->second;
    return shown;
}

void FlowLook::showHolder(Line& line, Step& step, Step& last) {
    const Kind& kind = kindOf(step);
    WaitedFor* const guard = kind.guardOf != nullptr ? kind.guardOf(step) : nullptr;
    GuardSeen* const seen = guard != nullptr ? look_.at(*guard) : nullptr;
    if (seen == nullptr || seen->heldBy == lineLook_ || !seen->holders.contains(&line)) return;
    seen->heldBy = lineLook_;
    show(*seen).holders.push_back({id_, pathOf(last)});
}

GuardSnapshot& FlowLook::show(GuardSeen& seen) {
    if (!seen.shown) {
        seen.shown = guards.size();
        guards.push_back({.id = seen.number,
                          .kind = seen.kind,
                          .name = seen.name,
                          .waiting = seen.waiting,
                          .active = seen.active,
                          .available = seen.available});
    }
    touched.push_back(*seen.shown);
    return guards[*seen.shown];
}

}  // namespace steptree::detail
