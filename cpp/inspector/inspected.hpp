#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flowentry.hpp"
#include "held.hpp"
#include "json.hpp"
#include "lately.hpp"
#include "messages.hpp"
#include "slowest.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/detail/sight.hpp"

namespace steptree::detail::inspecting {

/// A tool whose flows are inspected: an index of them, which events keep up to date, and what pages
/// are answered from it. On the tool's thread.
///
/// An event costs little: a mark, a number, a time. Flows are looked at when a page asks, those
/// that it shows first; others for some milliseconds at a time. So a row that isn't in view may be
/// behind. Short of memory something isn't shown.
class Inspected final : public Witness {
  public:
    /// `gone` is called when nothing is told any more, on whatever thread; it may not throw.
    Inspected(std::shared_ptr<Sight> tool, std::shared_ptr<HeldTurn> held, Function<void()> gone);
    ~Inspected() override;

    /// From now on it's told. Throws bad_alloc.
    static void begin(const std::shared_ptr<Inspected>& inspected);
    /// If it runs.
    void cancel(std::uint64_t run) noexcept;
    /// What pages that look at it are shown, as JSON. Throws bad_alloc.
    std::vector<std::string> frames(const std::vector<View>& views);

    void told(const FlowEvent& event, Flow& flow) noexcept override;
    void turnEnds() noexcept override;

  private:
    struct Open {
        Place* place;
        double at;
    };
    struct CodeCount {
        std::size_t place;  // among codes: when it came
        std::uint64_t ended = 0;
        std::uint64_t handled = 0;
        double last = 0;
    };
    struct Stall {
        double at;
        double ms;
        std::uint64_t flow;
        std::string name;
        std::string path;
    };
    /// How a run has ended.
    struct Ended {
        std::uint64_t run;
        std::string outcome;
        std::optional<std::string> code;
        std::int64_t at;
    };
    /// A guard, as flows show it.
    struct GuardSum {
        std::shared_ptr<const GuardShown> guard;
        FlowEntry* witness;  // one that has it or waits for it
        std::vector<std::pair<const FlowEntry*, const std::string*>> holders{};  // the first ones
        std::size_t held = 0;
    };

    FlowEntry& entryOf(const FlowEvent& event, Flow& flow);
    FlowEntry& enter(Flow& flow, std::uint64_t id, std::string_view name, bool isOlder);
    void note(const FlowEvent& event, Flow& flow);
    void change(FlowEntry& entry);
    void unchange(FlowEntry& entry) noexcept;
    void turn(FlowEntry& entry);
    void opened(FlowEntry& entry, const FlowEvent& event);
    void passed(double now) noexcept;
    void closed(const FlowEvent& event);
    void endedWith(FlowEntry& entry, const FlowEvent& event);
    CodeCount& count(const std::string& code);
    double timeOf(const FlowEvent& event) const noexcept;
    std::uint32_t numberOf(Place& place);

    void lookAround(FlowSight& sight);
    std::vector<GuardSum> guards();
    void showCommon(Json& json, FlowSight& sight);
    void showGuards(Json& json, FlowSight& sight);
    void showStalls(Json& json, double now) const;
    void showCodes(Json& json, double now) const;
    void showView(Json& json, const View& view, FlowSight& sight);
    void showOpened(Json& json, std::uint64_t run, const std::vector<FlowEntry*>& found,
                    FlowSight& sight);

    const std::shared_ptr<Sight> tool_;
    const std::shared_ptr<HeldTurn> held_;
    Function<void()> gone_;

    std::map<std::uint64_t, FlowEntry> entries_;  // by their runs
    std::unordered_map<const Flow*, FlowEntry*> flows_;
    /// What comes again comes last, so each has its look.
    std::list<FlowEntry*> changed_;
    std::unordered_map<std::uint64_t, Open> open_;  // steps, by their numbers
    Slowest slowest_;
    Lately lately_;
    std::unordered_map<std::string, CodeCount> codes_;
    std::deque<Stall> stalls_;  // the last one first
    std::deque<Ended> ended_;   // the last ones
    std::uint64_t begun_ = 0;
    std::uint64_t ok_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t cancelled_ = 0;
    std::uint64_t run_ = 0;
    std::uint64_t looks_ = 0;

    // ---- of the turn that runs
    double began_ = 0;  // in real time; 0: none does
    std::uint64_t turnFlow_ = 0;
    std::string turnName_;
    const Place* at_ = nullptr;  // of the step that was opened last in it
    double since_ = 0;           // and when
    double longest_ = 0;         // where it was for the longest time, up to then
    const Place* longestAt_ = nullptr;
};

}  // namespace steptree::detail::inspecting
