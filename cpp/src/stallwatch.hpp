#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "telling.hpp"
#include "waitlist.hpp"
#include "watchdog.hpp"

/// Bodies that hold the tool's thread, and waits that last: told to `report` of their flow.
///
/// A body is measured by the tool's clock, while it's stuck by the machine's; a wait by the tool's
/// time. Waits stand in the order
/// in which they have begun, by their steps: the next event at it ends them. All may last as long,
/// so there is one alarm, for the first. It's no timer of the tool's: it moves nothing, and keeps
/// nothing running.
namespace steptree::detail {

/// Its tool's thread only, but for `over`.
struct Stalls final : Sink {
    /// In milliseconds; 0: any time. Null: a VirtualTool whose bodies aren't looked at.
    Stalls(ToolCore& core, std::int64_t body, std::int64_t wait, const SnapshotOptions& tree,
           std::shared_ptr<Watchdog> dog);

    void note(const EventData& event) noexcept override;
    void speak(const EventData& event) noexcept override;
    void turned() noexcept override;
    void close() noexcept override;
    /// Those that have lasted are told.
    void ring() noexcept override;

  private:
    /// A tree of a flow does for all of its waits: there may be many.
    using Trees = std::unordered_map<const Flow*, std::string>;

    std::string treeOf(Flow& flow) const;
    void begins(Step& step) noexcept;
    void returned(const Step& step) noexcept;
    void ends() noexcept;
    void waitsFrom(Step& at, Line& line) noexcept;
    void arm() noexcept;
    void tellWait(const WaitList::Wait& wait, std::int64_t now, Trees& trees) noexcept;

    const std::int64_t body_;  // ns
    const std::int64_t wait_;
    const SnapshotOptions tree_;
    const std::shared_ptr<Watchdog> dog_;
    /// That of the body that runs; the outer one, where a body destroys a flow whose cleanups run
    /// then.
    const Step* step_ = nullptr;
    std::int64_t began_ = 0;
    std::int64_t held_ = 0;  // the body of this event is to be told: so long
    WaitList waits_;
    bool armed_ = false;
};

}  // namespace steptree::detail
