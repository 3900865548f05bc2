#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "json.hpp"
#include "slowest.hpp"
#include "steptree/detail/sight.hpp"

/// What an inspector knows of a flow that runs. Events only mark that something has changed; what
/// it waits for is found out by a look at it, if a page is to show it or the like of it.
namespace steptree::detail::inspecting {

/// A guard as it was at a look, without those who have it.
struct GuardShown {
    std::uint64_t look;  // the number of that
    std::uint64_t id;
    std::string kind;
    std::string name;
    std::int64_t waiting;
    std::optional<std::int64_t> active;
    std::optional<std::int64_t> available;
};

/// A guard that lines of the flow have, or wait for.
struct Had {
    std::shared_ptr<const GuardShown> guard;
    std::vector<std::string> paths;  // of lines that have it
};

/// What is shown of a wait. Times are those of the tool.
struct WaitShown {
    WaitSnapshot wait;
    std::optional<std::int64_t> due{};    // when its timer fires
    std::optional<std::int64_t> began{};  // when it began to wait for that
    void show(Json& json, std::int64_t now) const;
};

/// What a look at a flow has found.
struct Seen {
    /// When it began to wait.
    std::optional<std::int64_t> since() const noexcept {
        return waits ? waits->began : std::nullopt;
    }

    bool cancelling = false;
    bool signal = false;
    std::optional<std::int64_t> due{};
    /// Of the line that has waited longest.
    std::string path{};
    /// The path without numbers of rounds, attempts, items, branches.
    std::string where{};
    std::optional<std::string> kind{};
    std::optional<WaitShown> waits{};
    std::size_t lines = 0;
    std::vector<Had> guards{};
    /// What is searched.
    std::string text{};
};

struct FlowEntry {
    Flow& flow;
    const std::uint64_t run;
    const std::uint64_t id;
    const std::string name;
    /// What is known of flows of its kind.
    Place& place;
    const std::int64_t begun;
    const bool isOlder;  // it ran before

    /// Of the error that was handled last.
    std::optional<std::string> code{};
    std::optional<Seen> seen{};
    double next = 0;                        // in real time: when there may be another look
    std::optional<std::uint32_t> number{};  // of its name; see Texts
    /// Where it is among those of which something has happened since they were looked at.
    std::optional<std::list<FlowEntry*>::iterator> changed{};

    void show(Json& json, std::int64_t now) const;
};

/// A look at flows of a tool: good for as long as nothing moves.
class FlowSight {
  public:
    FlowSight(const Sight& tool, std::uint64_t number)
        : looks_(tool.looks()), now_(looks_->time()), number_(number) {}

    /// What it finds is kept in the entry.
    void see(FlowEntry& entry);
    /// Its lines, for people: two fields.
    void showTree(Json& json, FlowEntry& entry);
    /// If it was seen now.
    std::shared_ptr<const GuardShown> guard(std::uint64_t id) const;

    std::int64_t now() const noexcept { return now_; }

  private:
    Seen seenIn(FlowEntry& entry);
    std::vector<Had> hadIn(std::vector<SeenGuard>& guards);

    const std::unique_ptr<Looks> looks_;
    const std::int64_t now_;
    const std::uint64_t number_;
    std::unordered_map<std::uint64_t, std::shared_ptr<const GuardShown>> guards_;
};

}  // namespace steptree::detail::inspecting
