#include "steptree/snapshot.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "extras.hpp"
#include "flowextras.hpp"
#include "guardlook.hpp"
#include "ontool.hpp"
#include "path.hpp"
#include "shelter.hpp"
#include "steptree/detail/rootflow.hpp"
#include "steptree/detail/startowned.hpp"
#include "steptree/promise.hpp"
#include "steptree/tool.hpp"
#include "stopping.hpp"
#include "timer.hpp"

/// What flows do, as plain data. It is read from the tree, and nothing is noted for it before
/// somebody asks. A line has one step open inside of the other, so it is a list; what branches is a
/// line inside of its last step. Lists of what is yet to be looked at, no calls inside of calls: a
/// flow may be a million levels deep.
namespace steptree {

// ---- lines: any number deep

LineSnapshot& LineSnapshot::operator=(LineSnapshot other) noexcept {
    steps.swap(other.steps);
    waits.swap(other.waits);
    lines.swap(other.lines);
    return *this;
}

LineSnapshot::LineSnapshot(const LineSnapshot& other) : steps(other.steps), waits(other.waits) {
    std::vector<std::pair<const LineSnapshot*, LineSnapshot*>> open{{&other, this}};
    while (!open.empty()) {
        const auto [from, to] = open.back();
        open.pop_back();
        to->lines.resize(from->lines.size());
        for (std::size_t i = 0; i < from->lines.size(); ++i) {
            to->lines[i].steps = from->lines[i].steps;
            to->lines[i].waits = from->lines[i].waits;
            if (!from->lines[i].lines.empty()) open.emplace_back(&from->lines[i], &to->lines[i]);
        }
    }
}

/// Short of memory they are destroyed one inside the other.
LineSnapshot::~LineSnapshot() {
    try {
        std::vector<std::vector<LineSnapshot>> open;
        const auto takeInner = [&open](std::vector<LineSnapshot>& from) {
            for (LineSnapshot& line : from) {
                if (!line.lines.empty()) open.push_back(std::move(line.lines));
            }
        };
        takeInner(lines);
        while (!open.empty()) {
            std::vector<LineSnapshot> next = std::move(open.back());
            open.pop_back();
            takeInner(next);
        }
    } catch (...) {
        return;
    }
}

namespace detail {

namespace {

/// Of flows and guards that were shown once.
std::uint64_t nextNumber() noexcept {
    static std::atomic<std::uint64_t> last;
    return ++last;
}

std::uint64_t numberOf(Flow& flow) {
    FlowExtras& extras = flowExtrasOf(flow);
    if (extras.number == 0) extras.number = nextNumber();
    return extras.number;
}

const char* textOf(Waits::For what) noexcept {
    constexpr const char* texts[] = {"",          "turn",       "code",    "stop",
                                     "guard",     "send",       "receive", "timer",
                                     "awaitable", "completion", "success"};
    return texts[what];
}

const char* kindNameOf(Step& step) noexcept {
    const Kind& kind = kindOf(step);
    return kind.nameOf != nullptr ? kind.nameOf(step) : kind.name;
}

/// What the innermost step waits for by what it has in a guard or channel.
Waits waitOfExtra(Step& step) noexcept {
    auto* const wait = static_cast<WaitExtra*>(findExtra(step, Extra::wait));
    return wait != nullptr && wait->ops->waits != nullptr ? wait->ops->waits(*wait) : Waits{};
}

bool awaits(Step& step) noexcept {
    if (step.phase == Phase::awaiting) return true;
    auto* const awaited = static_cast<AwaitExtra*>(findExtra(step, Extra::await));
    if (step.phase != Phase::waiting || awaited == nullptr) return false;
    return !awaited->settled || (step.line->marks & kExternal) == 0;
}

/// The table of the chapter, from above. `own` is what the last step that is shown says.
Waits waitOf(Line& line, const Waits& own) noexcept {
    Step* const top = line.top;
    if (line.queued() || top == nullptr || top->phase == Phase::claimed) return {Waits::turn};
    if (isStopping(*top)) return {Waits::stop};
    switch (top->phase) {
        case Phase::body:
        case Phase::handler:
        case Phase::cancel:
        case Phase::closed:
            return {Waits::code};
        default:
            break;
    }
    if (own.what != Waits::nothing) return own;
    if (awaits(*top)) return {Waits::awaitable};
    if (top->phase == Phase::waiting)
        return {(line.marks & kExternal) != 0 ? Waits::completion : Waits::success};
    const bool hosts = kindOf(*top).hasBranches && branchesOf(*top).open > 0;
    return {hosts ? Waits::nothing : Waits::code};
}

/// Null: its innermost step waits for none. It's no deadline.
const TimerNode* delayOf(const Line& line) noexcept {
    if (line.top == nullptr) return nullptr;
    const auto waits = kindOf(*line.top).waits;
    return waits != nullptr ? waits(*line.top).due : nullptr;
}

/// One look.
class View {
  public:
    explicit View(ToolCore& core) : now_(core.timeForTimers()) {}

    FlowSnapshot show(Flow& flow) {
        id_ = numberOf(flow);
        FlowSnapshot shown{.id = id_, .name = {}, .state = "idle"};
        const FlowExtras& extras = *flow.flowExtras();
        if (extras.options != nullptr) shown.name = extras.options->name;
        shown.signal = extras.stopCallback.has_value();
        if (!flow.running) return shown;
        shown.state = (flow.bits & (kCancelLatch | kCancelling)) != 0 ? "cancelling" : "running";
        nearest_ = nullptr;
        showLines(flow, shown.line.emplace());
        if (nearest_ != nullptr) shown.deadline = nearest_->left(now_);
        return shown;
    }

    std::vector<GuardSnapshot> guards;

  private:
    /// A line that is shown, with a step in which others are, and the next one of these.
    struct Hosting {
        LineSnapshot* shown;
        Step* host;
        Branch* next;
    };

    /// In the order in which they are shown. What stands in the list is the last one of its own.
    void showLines(Line& root, LineSnapshot& shown) {
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
            if (branch.top == nullptr && branch.first == nullptr) continue;  // it has its result
            LineSnapshot& into = around->lines.emplace_back();
            LineSnapshot& outer = *around;
            begin(branch, into);
            if (!into.steps.empty()) continue;
            outer.waits = std::move(into.waits);  // a map's, which waits for the next item
            outer.lines.pop_back();
        }
    }

    /// Null: no lines are inside of it.
    Step* showLine(Line& line, LineSnapshot& shown) {
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
        if (line.top == nullptr && line.isBranch()) addStep(shown.steps, *line.first, elementOf);
        if (own.what == Waits::nothing && last != nullptr) own = waitOfExtra(*last);
        const Waits waits = waitOf(line, own);
        if (waits.what != Waits::nothing) shown.waits = showWait(line, waits);
        for (std::size_t i = chain_.size(); i-- > 0;) showHolder(line, *chain_[i], *last);
        const Deadline* deadline = deadlineOf(line);
        if (deadline != nullptr && deadline == delayOf(line)) deadline = deadline->outer;
        if (deadline != nullptr && (nearest_ == nullptr || deadline->due < nearest_->due))
            nearest_ = deadline;
        const bool hosts = last != nullptr && last == line.top && kindOf(*last).hasBranches;
        return hosts ? last : nullptr;
    }

    /// Those that have not started, and have no line.
    void showUnstarted(Step& host, LineSnapshot& around) {
        const Kind& kind = kindOf(host);
        if (kind.unstarted == nullptr) return;
        for (Step* at = kind.unstarted(host); at != nullptr; at = at->next) {
            LineSnapshot& shown = around.lines.emplace_back();
            addStep(shown.steps, *at, branchElementOf);
            shown.waits = WaitSnapshot{.what = "turn"};
        }
    }

    /// One without an element is a part of the one around it.
    void addStep(std::vector<StepSnapshot>& into, Step& step, std::string (&element)(Step&)) {
        const char* const kind = kindNameOf(step);
        const auto* const timer = static_cast<TimerExtra*>(findExtra(step, Extra::timer));
        std::optional<std::int64_t> timeout;
        if (timer != nullptr && timer->armed() && timer->fire == &fireTimeout)
            timeout = timer->left(now_);
        if ((step.flags & kHidden) == 0 && kind != nullptr) {
            into.push_back({element(step), kind, timeout});
            return;
        }
        if (into.empty()) return;
        StepSnapshot& around = into.back();
        if (kind != nullptr && around.kind == "step") around.kind = kind;
        if (timeout) around.timeout = std::min(*timeout, around.timeout.value_or(*timeout));
    }

    WaitSnapshot showWait(Line& line, const Waits& waits) {
        WaitSnapshot shown{.what = textOf(waits.what)};
        if (waits.due != nullptr) shown.ms = waits.due->left(now_);
        if (waits.name != nullptr) shown.name = *waits.name;
        GuardSeen* const seen = waits.on != nullptr ? look_.at(*waits.on) : nullptr;
        if (seen == nullptr) return shown;
        show(*seen);
        shown.guard = seen->number;
        shown.kind = seen->kind;
        shown.name = seen->name;
        const auto place = seen->places.find(&line);
        if (place != seen->places.end()) shown.place = place->second;
        return shown;
    }

    /// The guard of a section that the line is in, or gets into.
    void showHolder(Line& line, Step& step, Step& last) {
        const Kind& kind = kindOf(step);
        WaitedFor* const guard = kind.guardOf != nullptr ? kind.guardOf(step) : nullptr;
        GuardSeen* const seen = guard != nullptr ? look_.at(*guard) : nullptr;
        if (seen == nullptr || seen->last == &line || !seen->holders.contains(&line)) return;
        seen->last = &line;
        show(*seen).holders.push_back({id_, pathOf(last)});
    }

    GuardSnapshot& show(GuardSeen& seen) {
        if (!seen.shown) {
            seen.shown = guards.size();
            guards.push_back({.id = seen.number,
                              .kind = seen.kind,
                              .name = seen.name,
                              .waiting = seen.waiting,
                              .active = seen.active,
                              .available = seen.available});
        }
        return guards[*seen.shown];
    }

    const std::int64_t now_;
    GuardLook look_;
    std::vector<Step*> chain_;           // of the line that is looked at, the innermost first
    std::uint64_t id_ = 0;               // of the flow
    const Deadline* nearest_ = nullptr;  // its
};

/// While a tool goes there is more in the list of its flows than these.
Snapshot snapshotOf(ToolCore& core) {
    Snapshot made{.time = core.now(), .flows = {}, .guards = {}};
    if (core.stopped()) return made;
    View view(core);
    LiveFlows& flows = core.flowsLive;
    std::size_t count = 0;
    for (Live* live = flows.first(); live != nullptr; live = flows.next(*live)) ++count;
    made.flows.reserve(count);
    for (Live* live = flows.first(); live != nullptr; live = flows.next(*live))
        made.flows.push_back(view.show(static_cast<Flow&>(*live)));
    made.guards = std::move(view.guards);
    return made;
}

}  // namespace

std::uint64_t GuardLook::numberOf(WaitedFor& guard) noexcept {
    const std::atomic_ref number(WaitedFor::Access::numberOf(guard));
    std::uint64_t known = number.load(std::memory_order_relaxed);
    if (known != 0) return known;
    const std::uint64_t made = nextNumber();
    return number.compare_exchange_strong(known, made, std::memory_order_relaxed) ? made : known;
}

FlowSnapshot RootFlow::snapshot() {
    Flow& flow = asFlow(*head_);
    if (flow.running) checkThread(*flow.tool, "snapshot");
    return View(*flow.tool).show(flow);
}

}  // namespace detail

Snapshot Tool::snapshot() const {
    detail::checkThread(*core_, "snapshot");
    return detail::snapshotOf(*core_);
}

Future<Snapshot> Tool::snapshotSoon() const {
    Promise<Snapshot> promise;
    promise.settledBy(detail::settlerOf(*core_));
    Future<Snapshot> future = promise.future();
    detail::later(*core_, [core = core_, promise = std::move(promise)]() mutable {
        try {
            promise.success(detail::snapshotOf(*core));
        } catch (...) {
            promise.fail(std::current_exception());
        }
    });
    return future;
}

}  // namespace steptree
