#include "steptree/snapshot.hpp"

#include <exception>
#include <utility>

#include "flowlook.hpp"
#include "ontool.hpp"
#include "steptree/detail/rootflow.hpp"
#include "steptree/detail/startowned.hpp"
#include "steptree/promise.hpp"
#include "steptree/tool.hpp"

/// What flows do, as plain data: which flows of a tool run, and what each of them shows.
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

/// While a tool goes there is more in the list of its flows than these.
Snapshot snapshotOf(ToolCore& core, const SnapshotOptions& options) {
    if (core.stopped()) return {.time = core.now(), .flows = {}, .guards = {}};
    FlowLook look(core, options);
    Snapshot made{.time = look.time, .flows = {}, .guards = {}};
    LiveFlows& flows = core.flowsLive;
    std::size_t count = 0;
    for (Live* live = flows.first(); live != nullptr; live = flows.next(*live)) ++count;
    made.flows.reserve(count);
    for (Live* live = flows.first(); live != nullptr; live = flows.next(*live))
        made.flows.push_back(look.show(static_cast<Flow&>(*live)));
    made.guards = std::move(look.guards);
    return made;
}

FlowSnapshot RootFlow::snapshot(const SnapshotOptions& options) {
    Flow& flow = asFlow(*head_);
    if (flow.running) checkThread(*flow.tool, "snapshot");
    return FlowLook(*flow.tool, options).show(flow);
}

}  // namespace detail

Snapshot Tool::snapshot(const SnapshotOptions& options) const {
    detail::checkThread(*core_, "snapshot");
    return detail::snapshotOf(*core_, options);
}

Future<Snapshot> Tool::snapshotSoon(const SnapshotOptions& options) const {
    Promise<Snapshot> promise;
    promise.settledBy(detail::settlerOf(*core_));
    Future<Snapshot> future = promise.future();
    detail::later(*core_, [core = core_, options, promise = std::move(promise)](bool) mutable {
        try {
            promise.success(detail::snapshotOf(*core, options));
        } catch (...) {
            promise.fail(std::current_exception());
        }
    });
    return future;
}

}  // namespace steptree
