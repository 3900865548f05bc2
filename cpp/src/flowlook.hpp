#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "guardlook.hpp"
#include "kind.hpp"
#include "steptree/snapshot.hpp"

/// What flows do, for snapshots.
namespace steptree::detail {

/// One look at flows of a tool, and at the guards that they have or wait for. All throw bad_alloc.
class FlowLook {
  public:
    explicit FlowLook(ToolCore& core, const SnapshotOptions& options = {});

    FlowSnapshot show(Flow& flow);

    const std::int64_t time;  // of the whole look

    std::vector<GuardSnapshot> guards;
    /// Those of the flow that was shown last.
    std::vector<std::size_t> touched;

  private:
    /// In the order in which they are shown.
    void showLines(Line& root, LineSnapshot& shown);
    /// Null: no lines are inside of it.
    Step* showLine(Line& line, LineSnapshot& shown);
    /// Those that have not started, and have no line.
    void showUnstarted(Step& host, LineSnapshot& around);
    /// One without an element is a part of the one around it.
    void addStep(std::vector<StepSnapshot>& into, Step& step, std::string (&element)(Step&));
    WaitSnapshot showWait(Line& line, const Waits& waits);
    WaitSnapshot showWaitFor(Line& line, const Waits& waits);
    /// The guard of a section that the line is in, or gets into.
    void showHolder(Line& line, Step& step, Step& last);
    GuardSnapshot& show(GuardSeen& seen);
    /// Those that can end it. True: those further out can't.
    bool lookAtDeadlines(Step& step);

    const std::int64_t now_;
    const bool locates_;
    GuardLook look_;
    std::vector<Step*> chain_;           // of the line that is looked at, the innermost first
    std::uint64_t id_ = 0;               // of the flow
    std::uint64_t lineLook_ = 0;         // looks at lines, also at one line again
    const Deadline* nearest_ = nullptr;  // its
};

/// On the thread of the tool, which lives. Throws bad_alloc.
Snapshot snapshotOf(ToolCore& core, const SnapshotOptions& options = {});

}  // namespace steptree::detail
