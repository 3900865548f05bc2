#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linetimes.hpp"
#include "observe.hpp"
#include "steptree/detail/coreref.hpp"
#include "steptree/observe.hpp"

/// The observers of a tool, and how they are called: all of them with one event, then with the
/// next.
namespace steptree::detail {

/// Who is told of events. Of its handle and its tool.
struct Listener {
    Listener(ToolCore& core, bool bodies) noexcept : core(core), bodies(bodies) {}

    const CoreRef core;
    const bool bodies;
    std::atomic<bool> over{false};
};
/// Any thread.
void endListening(Listener& listener) noexcept;

/// One observer.
struct Watch final : Listener {
    Watch(ToolCore& core, bool bodies, Function<void(const FlowEvent&)> tell) noexcept
        : Listener(core, bodies), tell(std::move(tell)) {}

    Function<void(const FlowEvent&)> tell;
    Function<void()> turnEnds{};  // is called when a line's turn is over; it may not throw
};

enum class What : std::uint8_t {
    begun,
    turn,
    opened,
    body,
    returned,
    handler,
    cancel,
    closed,
    waits,
    ended
};
std::string_view nameOf(What what) noexcept;

struct EventData {
    /// The step that was told: of a part of it, too. Null: there is none.
    Step* told() const noexcept;
    /// That of the one around it.
    Step* around() const noexcept;

    What what;
    Flow& flow;
    Step* step = nullptr;
    const char* kind = "";
    const char* outcome = "";
    std::string_view code{};
    Line* line = nullptr;  // that waits
    std::uint64_t sequence = 0;
    std::int64_t time = 0;
};

/// Who keeps what is told, and calls nothing then: it hears of an event before observers do. Its
/// tool's thread only.
struct Sink : Listener {
    using Listener::Listener;

    virtual void note(const EventData& event) noexcept = 0;
    /// Behind observers, and as they are called, if somebody has asked for it: see `speaks`.
    virtual void speak(const EventData&) noexcept {}
    /// What `alarm` is for.
    virtual void ring() noexcept {}
    /// A line's turn is over. It may be one that nobody was told of.
    virtual void turned() noexcept {}
    /// The tool's pass is over, and makes way for what others want of its thread.
    virtual void passed() noexcept {}
    /// Nothing more comes, and what is open can't be asked later.
    virtual void close() noexcept {}
    /// What it has of a flow that has just ended, in lines. Throws bad_alloc.
    virtual std::string lastOf(const Flow&) const { return {}; }

    /// When ring() is to be called, if the tool has no clock.
    std::int64_t alarm = ToolCore::kNever;

  protected:
    ~Sink() = default;
};

/// Of one tool. Its thread only.
struct Observers {
    explicit Observers(ToolCore& core) noexcept : core(core) {}

    ToolCore& core;
    std::vector<std::shared_ptr<Sink>> sinks{};
    std::vector<std::shared_ptr<Watch>> watches{};
    std::uint64_t sequence = 0;
    ObservedTurn* turn = nullptr;  // the innermost that runs
    Step* called = nullptr;        // its body was told
    Live* begins = nullptr;        // the first of those flows that are told when this event is
    Flow* ends = nullptr;          // that is told to have ended
    LineTimes times{};
    bool telling = false;
    bool speaks = false;  // a sink has something to say of the event
    bool bodies = false;

    void add(std::shared_ptr<Watch> watch);
    void add(std::shared_ptr<Sink> sink);
    void begin(Flow& flow) noexcept;
    void tell(EventData&& event) noexcept;
    void endTurn() noexcept;
    void passed() noexcept;
    std::int64_t nextAlarm() const noexcept;
    void ring() noexcept;
    /// Flows that run, as events say it: their end hasn't been told, their begin isn't to be.
    template <class Visit>
    void eachRunning(Visit visit) const {
        const LiveFlows& flows = core.flowsLive;
        for (Live* live = flows.first(); live != begins; live = flows.next(*live)) {
            if (live != ends) visit(static_cast<Flow&>(*live));
        }
    }
    /// Lets go of those who don't observe any more.
    void dropOver() noexcept;
    void stop() noexcept;
    /// A turn begins or is over.
    void renewTime() noexcept { hasTime_ = false; }
    /// Of what is told now.
    std::int64_t now() noexcept;

  private:
    template <class Kept>
    void addTo(std::vector<Kept>& all, Kept&& added);
    bool isUnused() const noexcept { return sinks.empty() && watches.empty(); }
    void call(EventData& event) noexcept;
    void callOne(Watch& watch, const EventData& event) noexcept;

    std::int64_t time_ = 0;  // of the turn, if it has been read
    bool hasTime_ = false;
};

/// Makes them. Throws bad_alloc.
Observers& observersIn(ToolCore& core);
inline Observers& observersAt(const Line& line) noexcept {
    return *line.share().observers;
}

}  // namespace steptree::detail
