#include "flowentry.hpp"

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>

#include "cut.hpp"
#include "realtime.hpp"

namespace steptree::detail::inspecting {

namespace {

/// What is shown of the lines of one flow, and of the steps of one line.
constexpr std::size_t kMostLines = 400;
constexpr std::size_t kMostSteps = 24;
/// A look may take a fiftieth of the time.
constexpr double kShare = 50;
/// So many characters are kept of the names of guards.
constexpr std::size_t kMostSearched = 300;

/// A line of a look, and the one that it is in.
struct NextLine {
    const LineSnapshot* line;
    const NextLine* around;
    std::size_t depth;
};

/// All lines, each before those inside of it.
std::deque<NextLine> linesOf(const FlowSnapshot& flow) {
    std::deque<NextLine> lines;  // they stay where they are
    std::vector<NextLine> next;
    if (flow.line) next.push_back({&*flow.line, nullptr, 0});
    while (!next.empty()) {
        const NextLine& here = lines.emplace_back(next.back());
        next.pop_back();
        const auto& inside = here.line->lines;
        for (std::size_t i = inside.size(); i-- > 0;)
            next.push_back({&inside[i], &here, here.depth + 1});
    }
    return lines;
}

/// The one that has waited longest; what is known is before what isn't. Null: none waits.
const NextLine* longestOf(const std::deque<NextLine>& lines) {
    const NextLine* found = nullptr;
    for (const NextLine& each : lines) {
        if (!each.line->waits) continue;
        if (found == nullptr || each.line->waits->since > found->line->waits->since) found = &each;
    }
    return found;
}

/// From the root on.
std::vector<const std::string*> elementsOf(const NextLine& line) {
    std::vector<const std::string*> elements;
    for (const NextLine* at = &line; at != nullptr; at = at->around) {
        const auto& steps = at->line->steps;
        for (std::size_t i = steps.size(); i-- > 0;) elements.push_back(&steps[i].element);
    }
    std::reverse(elements.begin(), elements.end());
    return elements;
}

std::string patternPath(const std::vector<const std::string*>& elements) {
    std::deque<std::string> patterns;  // they stay where they are
    std::vector<const std::string*> path;
    for (const std::string* element : elements)
        path.push_back(&patterns.emplace_back(patternOf(*element)));
    return cutPath(path);
}

WaitShown shownOf(const WaitSnapshot& wait, std::int64_t now) {
    WaitShown shown{.wait = {.what = wait.what,
                             .ms = wait.ms,
                             .guard = wait.guard,
                             .kind = wait.kind,
                             .name = cut(wait.name),
                             .place = wait.place}};
    if (wait.ms) shown.due = now + *wait.ms;
    if (wait.since) shown.began = now - *wait.since;
    return shown;
}

std::string searchedIn(const FlowEntry& entry, const Seen& seen) {
    std::string text = std::to_string(entry.id);
    const auto say = [&text](std::string_view more) { (text += ' ') += more; };
    say(entry.name);
    say(seen.path);
    if (seen.waits) {
        say(seen.waits->wait.what);
        say(seen.waits->wait.kind);
        say(seen.waits->wait.name);
    }
    std::string names;
    for (const Had& had : seen.guards) {
        if (names.size() > kMostSearched) break;
        (((names += names.empty() ? "" : " ") += had.guard->kind) += ' ') += had.guard->name;
    }
    say(cut(names, kMostSearched));
    return lowered(std::move(text));
}

void showStep(Json& json, std::string_view element, std::string_view kind,
              const std::optional<std::int64_t>& timeout) {
    json.begin('{').field("element", element).field("kind", kind).field("timeout", timeout);
    json.end('}');
}

/// Without those in the middle if there are too many.
void showSteps(Json& json, const std::vector<StepSnapshot>& steps) {
    json.begin('[');
    const bool isLong = steps.size() > kMostSteps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (isLong && i == kMostSteps / 2) {
            const std::size_t more = steps.size() - kMostSteps;
            showStep(json, "… " + std::to_string(more) + " more …", "", std::nullopt);
            i += more;
        }
        const StepSnapshot& step = steps[i];
        showStep(json, cut(step.element, kMostOfElement), step.kind, step.timeout);
    }
    json.end(']');
}

}  // namespace

void WaitShown::show(Json& json, std::int64_t now) const {
    json.begin('{').field("for", wait.what);
    if (due) json.field("ms", std::max<std::int64_t>(0, *due - now));
    json.field("guard", wait.guard);
    if (!wait.kind.empty()) json.field("kind", wait.kind);
    if (!wait.name.empty()) json.field("name", wait.name);
    json.field("place", wait.place);
    if (began) json.field("since", now - *began);
    json.end('}');
}

void FlowEntry::show(Json& json, std::int64_t now) const {
    const bool isCancelling = seen && seen->cancelling;
    json.begin('{')
        .field("run", run)
        .field("id", id)
        .field("name", name)
        .field("state", isCancelling ? "cancelling" : "running")
        .field("age", now - begun)
        .field("path", seen ? seen->path : std::string())
        .field("lines", seen ? seen->lines : 1);
    if (isOlder) json.field("older", true);
    json.field("code", code);
    if (seen) {
        if (seen->signal) json.field("signal", true);
        if (seen->due) json.field("deadline", std::max<std::int64_t>(0, *seen->due - now));
        json.field("kind", seen->kind);
        if (seen->waits) seen->waits->show(json.key("waits"), now);
    }
    json.end('}');
}

std::vector<Had> FlowSight::hadIn(std::vector<SeenGuard>& guards) {
    std::vector<Had> had;
    had.reserve(guards.size());
    for (auto& [guard, holders] : guards) {
        auto& shown = guards_[guard->id];
        if (shown == nullptr) {
            shown = std::make_shared<GuardShown>(GuardShown{.look = number_,
                                                            .id = guard->id,
                                                            .kind = guard->kind,
                                                            .name = cut(guard->name),
                                                            .waiting = guard->waiting,
                                                            .active = guard->active,
                                                            .available = guard->available});
        }
        Had& one = had.emplace_back(Had{shown, {}});
        for (const auto& holder : holders) one.paths.push_back(cutFront(holder.path));
    }
    return had;
}

Seen FlowSight::seenIn(FlowEntry& entry) {
    SeenFlow found = looks_->at(entry.flow);
    const std::deque<NextLine> lines = linesOf(found.flow);
    const NextLine* const longest = longestOf(lines);
    Seen seen;
    seen.cancelling = found.flow.state == "cancelling";
    seen.signal = found.flow.signal;
    if (found.flow.deadline) seen.due = now_ + *found.flow.deadline;
    seen.lines = lines.size();
    seen.guards = hadIn(found.guards);
    if (longest != nullptr) {
        const LineSnapshot& line = *longest->line;
        const auto elements = elementsOf(*longest);
        seen.path = cutPath(elements);
        seen.where = patternPath(elements);
        if (!line.steps.empty()) seen.kind = line.steps.back().kind;
        seen.waits = shownOf(*line.waits, now_);
    }
    seen.text = searchedIn(entry, seen);
    return seen;
}

void FlowSight::see(FlowEntry& entry) {
    const double started = realTime();
    entry.seen = seenIn(entry);
    entry.next = started + kShare * (realTime() - started);
}

void FlowSight::showTree(Json& json, FlowEntry& entry) {
    const SeenFlow found = looks_->at(entry.flow);
    const std::deque<NextLine> lines = linesOf(found.flow);
    const std::size_t shown = std::min(kMostLines, lines.size());
    json.key("lines").begin('[');
    for (std::size_t i = 0; i < shown; ++i) {
        const NextLine& at = lines[i];
        json.begin('{').field("depth", at.depth);
        showSteps(json.key("steps"), at.line->steps);
        if (at.line->waits) shownOf(*at.line->waits, now_).show(json.key("waits"), now_);
        json.end('}');
    }
    json.end(']').field("more", lines.size() - shown);
}

std::shared_ptr<const GuardShown> FlowSight::guard(std::uint64_t id) const {
    const auto known = guards_.find(id);
    return known != guards_.end() ? known->second : nullptr;
}

}  // namespace steptree::detail::inspecting
