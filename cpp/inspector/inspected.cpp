#include "inspected.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "cut.hpp"
#include "flowfilter.hpp"
#include "lasting.hpp"
#include "realtime.hpp"

namespace steptree::detail::inspecting {

namespace {

/// How long it looks at flows that have changed, for one answer, in milliseconds.
constexpr double kLooking = 6;
/// A turn of so many milliseconds is a stall.
constexpr double kStall = 50;
constexpr std::size_t kMostStalls = 20;
constexpr std::size_t kMostEnded = 200;
constexpr std::size_t kMostCodes = 1000;
constexpr std::size_t kCodesShown = 20;
constexpr std::size_t kGuardsShown = 40;
constexpr std::size_t kHoldersShown = 3;

}  // namespace

Inspected::Inspected(std::shared_ptr<Sight> tool, std::shared_ptr<HeldTurn> held,
                     Function<void()> gone)
    : tool_(std::move(tool)), held_(std::move(held)), gone_(std::move(gone)) {}

Inspected::~Inspected() {
    held_->began = 0;
    gone_();
}

/// Those that ran before, in the order of their starts.
void Inspected::begin(const std::shared_ptr<Inspected>& inspected) {
    const Sight& tool = *inspected->tool_;
    const auto looks = tool.looks();
    for (Flow* const flow : tool.flows()) {
        const FlowSnapshot shown = looks->at(*flow).flow;
        inspected->enter(*flow, shown.id, shown.name, true);
    }
    inspected->tool_->begin(inspected);
}

void Inspected::cancel(std::uint64_t run) noexcept {
    const auto found = entries_.find(run);
    if (found != entries_.end()) tool_->cancel(found->second.flow);
}

FlowEntry& Inspected::enter(Flow& flow, std::uint64_t id, std::string_view name, bool isOlder) {
    const std::uint64_t run = ++run_;
    Place& place = slowest_.flowOf(name);
    decltype(entries_) made;
    made.try_emplace(run, FlowEntry{flow, run, id, cut(name), place, tool_->now(), isOlder});
    FlowEntry& entry = made.begin()->second;
    flows_.emplace(&flow, &entry);
    entries_.insert(entries_.end(), made.extract(made.begin()));  // takes no memory
    change(entry);
    return entry;
}

FlowEntry& Inspected::entryOf(const FlowEvent& event, Flow& flow) {
    const auto known = flows_.find(&flow);
    if (known != flows_.end()) return *known->second;
    return enter(flow, event.flowId(), event.flowName(), event.what() != "begun");
}

void Inspected::change(FlowEntry& entry) {
    if (!entry.changed) entry.changed = changed_.insert(changed_.end(), &entry);
}

void Inspected::unchange(FlowEntry& entry) noexcept {
    if (entry.changed) changed_.erase(*std::exchange(entry.changed, std::nullopt));
}

// ---- events

void Inspected::told(const FlowEvent& event, Flow& flow) noexcept {
    try {
        note(event, flow);
    } catch (...) {
        return;
    }
}

void Inspected::note(const FlowEvent& event, Flow& flow) {
    const std::string_view what = event.what();
    FlowEntry& entry = entryOf(event, flow);
    if (what == "ended") return endedWith(entry, event);
    change(entry);
    if (what == "begun") {
        ++begun_;
        ++lately_.at(realTime()).begun;
    } else if (what == "turn") {
        turn(entry);
    } else if (what == "opened") {
        opened(entry, event);
    } else if (what == "closed") {
        closed(event);
    } else if (what == "handler") {
        entry.code = cut(event.code());
        ++count(*entry.code).handled;
    }
}

/// Steps are measured by the tool's time where that isn't the clock's.
double Inspected::timeOf(const FlowEvent& event) const noexcept {
    return tool_->standsStill() ? static_cast<double>(event.time()) : realTime();
}

std::uint32_t Inspected::numberOf(Place& place) {
    if (!place.number) place.number = held_->texts.numberOf(place.path);
    return *place.number;
}

void Inspected::turn(FlowEntry& entry) {
    if (!entry.number) entry.number = held_->texts.numberOf(entry.name);
    turnFlow_ = entry.id;
    turnName_ = entry.name;
    at_ = longestAt_ = nullptr;
    longest_ = 0;
    began_ = since_ = realTime();
    held_->flow = entry.id;
    held_->name = *entry.number;
    held_->path = 0;
    held_->began = began_;
}

/// Its body is called next.
void Inspected::opened(FlowEntry& entry, const FlowEvent& event) {
    const auto around = open_.find(event.parent());
    Place& place = slowest_.placeOf(around != open_.end() ? *around->second.place : entry.place,
                                    event.element(), event.kind());
    open_.insert_or_assign(event.step(), Open{&place, timeOf(event)});
    if (began_ == 0) return;
    passed(realTime());
    at_ = &place;
    held_->path = numberOf(place);
}

/// So long it was where it was.
void Inspected::passed(double now) noexcept {
    const double ms = now - since_;
    since_ = now;
    if (ms <= longest_) return;
    longest_ = ms;
    longestAt_ = at_;
}

void Inspected::closed(const FlowEvent& event) {
    const auto found = open_.find(event.step());
    if (found == open_.end()) return;  // it was open before
    const auto [place, at] = found->second;
    open_.erase(found);
    place->took(timeOf(event) - at);
}

void Inspected::endedWith(FlowEntry& entry, const FlowEvent& event) {
    Ended ended{entry.run, std::string(event.outcome()), std::nullopt, event.time()};
    unchange(entry);
    flows_.erase(&entry.flow);
    entries_.erase(ended.run);
    Lately::Piece& piece = lately_.at(realTime());
    ++piece.ended;
    if (ended.outcome == "ok") {
        ++ok_;
    } else if (ended.outcome == "cancelled") {
        ++cancelled_;
    } else {
        ++failed_;
        ++piece.failed;
        ended.code = cut(event.code());
        ++count(*ended.code).ended;
    }
    if (ended_.size() == kMostEnded) ended_.pop_front();
    ended_.push_back(std::move(ended));
}

void Inspected::turnEnds() noexcept {
    const double began = std::exchange(began_, 0);
    if (began == 0) return;
    held_->began = 0;
    const double now = realTime();
    lately_.turn(began, now);
    const double ms = now - began;
    if (ms < kStall) return;
    passed(now);
    try {
        if (stalls_.size() == kMostStalls) stalls_.pop_back();
        stalls_.push_front({now, ms, turnFlow_, turnName_,
                            longestAt_ != nullptr ? longestAt_->path : std::string()});
    } catch (...) {
        return;
    }
}

Inspected::CodeCount& Inspected::count(const std::string& code) {
    const bool isShown = codes_.size() < kMostCodes || codes_.contains(code);
    const std::size_t place = codes_.size();
    CodeCount& count = codes_.try_emplace(isShown ? code : "…", CodeCount{place}).first->second;
    count.last = realTime();
    return count;
}

// ---- frames

/// At those that have changed, if they may be looked at.
void Inspected::lookAround(FlowSight& sight) {
    const double until = realTime() + kLooking;
    for (auto at = changed_.begin(); at != changed_.end();) {
        FlowEntry& entry = **at++;
        const double now = realTime();
        if (now >= until) return;
        if (now < entry.next) continue;
        unchange(entry);
        sight.see(entry);
    }
}

std::vector<std::string> Inspected::frames(const std::vector<View>& views) {
    FlowSight sight(*tool_, ++looks_);
    lookAround(sight);
    Json common;
    showCommon(common, sight);
    std::vector<std::string> frames;
    for (const View& view : views) {
        Json json;
        json.raw(common.shown());
        showView(json, view, sight);
        frames.push_back(json.end('}').take());
    }
    return frames;
}

void Inspected::showCommon(Json& json, FlowSight& sight) {
    std::map<std::string, std::size_t> waits;
    LastingWaits lasting(sight.now());
    for (const auto& [run, entry] : entries_) {
        const bool isUnseen = !entry.seen;
        ++waits[isUnseen ? "unseen" : entry.seen->waits ? entry.seen->waits->wait.what : "lines"];
        lasting.add(entry);
    }
    const double now = realTime();
    json.begin('{').field("type", "frame").field("time", sight.now()).key("totals").begin('{');
    json.field("running", entries_.size())
        .field("begun", begun_)
        .field("ok", ok_)
        .field("failed", failed_)
        .field("cancelled", cancelled_)
        .end('}');
    json.key("waits").begin('{');
    for (const auto& [what, count] : waits) json.field(what, count);
    json.end('}');
    lasting.show(json.key("lasting"));
    showGuards(json, sight);
    lately_.show(json.key("timeline"), now);
    slowest_.show(json.key("slow"));
    showStalls(json, now);
    showCodes(json, now);
}

/// As the last looks have shown them; those with the longest queues first.
std::vector<Inspected::GuardSum> Inspected::guards() {
    std::vector<GuardSum> sums;
    std::unordered_map<std::uint64_t, std::size_t> places;
    for (auto& [run, entry] : entries_) {
        if (!entry.seen) continue;
        for (const Had& had : entry.seen->guards) {
            const auto [place, isNew] = places.try_emplace(had.guard->id, sums.size());
            if (isNew) sums.push_back({.guard = had.guard, .witness = &entry});
            GuardSum& sum = sums[place->second];
            if (had.guard->look > sum.guard->look) {
                sum.guard = had.guard;
                sum.witness = &entry;
            }
            for (const std::string& path : had.paths) {
                if (sum.held++ < kHoldersShown) sum.holders.emplace_back(&entry, &path);
            }
        }
    }
    std::stable_sort(sums.begin(), sums.end(), [](const GuardSum& a, const GuardSum& b) {
        if (a.guard->waiting != b.guard->waiting) return a.guard->waiting > b.guard->waiting;
        return a.held > b.held;
    });
    return sums;
}

/// A guard may have moved on without a flow that was looked at then: so those that are shown are
/// looked at by one that has them. That flow is alive, and what it has of guards with it.
void Inspected::showGuards(Json& json, FlowSight& sight) {
    std::vector<GuardSum> sums = guards();
    for (std::size_t i = 0; i < std::min(kGuardsShown, sums.size()); ++i) {
        FlowEntry& witness = *sums[i].witness;
        const bool isKnown = sight.guard(sums[i].guard->id) != nullptr;
        if (!isKnown && realTime() >= witness.next) sight.see(witness);
    }
    sums = guards();
    json.key("guards").begin('[');
    for (std::size_t i = 0; i < std::min(kGuardsShown, sums.size()); ++i) {
        const GuardSum& sum = sums[i];
        const GuardShown& guard = *sum.guard;
        json.begin('{')
            .field("id", guard.id)
            .field("kind", guard.kind)
            .field("name", guard.name)
            .field("waiting", guard.waiting)
            .field("active", guard.active)
            .field("available", guard.available);
        json.key("holders").begin('[');
        for (const auto& [entry, path] : sum.holders) {
            json.begin('{')
                .field("run", entry->run)
                .field("flow", entry->id)
                .field("name", entry->name)
                .field("path", *path)
                .end('}');
        }
        json.end(']').field("held", sum.held).end('}');
    }
    json.end(']').field("guardsInAll", sums.size());
}

void Inspected::showStalls(Json& json, double now) const {
    json.key("stalls").begin('[');
    for (const Stall& stall : stalls_) {
        json.begin('{')
            .field("ago", wholeOf(now - stall.at))
            .field("ms", wholeOf(stall.ms))
            .field("flow", stall.flow)
            .field("name", stall.name)
            .field("path", stall.path)
            .end('}');
    }
    json.end(']');
}

void Inspected::showCodes(Json& json, double now) const {
    using Counted = decltype(codes_)::value_type;
    std::vector<const Counted*> all;
    all.reserve(codes_.size());
    for (const Counted& each : codes_) all.push_back(&each);
    std::sort(all.begin(), all.end(), [](const Counted* a, const Counted* b) {
        const std::uint64_t ofA = a->second.ended + a->second.handled;
        const std::uint64_t ofB = b->second.ended + b->second.handled;
        return ofA != ofB ? ofA > ofB : a->second.place < b->second.place;
    });
    json.key("codes").begin('[');
    for (std::size_t i = 0; i < std::min(kCodesShown, all.size()); ++i) {
        const auto& [code, count] = *all[i];
        json.begin('{')
            .field("code", code)
            .field("ended", count.ended)
            .field("handled", count.handled)
            .field("ago", wholeOf(now - count.last))
            .end('}');
    }
    json.end(']');
}

void Inspected::showView(Json& json, const View& view, FlowSight& sight) {
    const std::int64_t now = sight.now();
    const FlowFilter isFound(view, now);
    std::vector<FlowEntry*> found;
    for (auto& [run, entry] : entries_) {
        if (isFound(entry)) found.push_back(&entry);
    }
    std::sort(found.begin(), found.end(), FlowOrder(view));
    const std::size_t last = found.size() - std::min(found.size(), view.rows);
    const std::size_t first = std::min(view.first, last);
    json.field("number", view.number).field("found", found.size()).field("first", first);
    json.key("rows").begin('[');
    for (std::size_t i = first; i < std::min(first + view.rows, found.size()); ++i) {
        if (realTime() >= found[i]->next) sight.see(*found[i]);
        found[i]->show(json, now);
    }
    json.end(']');
    if (view.open) showOpened(json, *view.open, found, sight);
}

void Inspected::showOpened(Json& json, std::uint64_t run, const std::vector<FlowEntry*>& found,
                           FlowSight& sight) {
    json.key("open").begin('{').field("run", run);
    if (const auto running = entries_.find(run); running != entries_.end()) {
        const auto place = std::find(found.begin(), found.end(), &running->second);
        if (place != found.end()) json.field("index", std::distance(found.begin(), place));
        if (realTime() >= running->second.next) sight.see(running->second);
        running->second.show(json.key("row"), sight.now());
        sight.showTree(json, running->second);
    } else {
        const auto ended = std::find_if(ended_.begin(), ended_.end(),
                                        [run](const Ended& each) { return each.run == run; });
        if (ended == ended_.end()) {
            json.field("gone", true);
        } else {
            json.key("ended").begin('{').field("outcome", ended->outcome);
            json.field("code", ended->code).field("ago", sight.now() - ended->at).end('}');
        }
    }
    json.end('}');
}

}  // namespace steptree::detail::inspecting
