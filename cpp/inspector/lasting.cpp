#include "lasting.hpp"

#include <algorithm>

namespace steptree::detail::inspecting {

namespace {

constexpr std::int64_t kLasts = 10'000;  // milliseconds
constexpr std::size_t kSumsShown = 20;

}  // namespace

void LastingWaits::add(const FlowEntry& entry) {
    if (!entry.seen || !entry.seen->waits) return;
    const Seen& seen = *entry.seen;
    const WaitSnapshot& wait = seen.waits->wait;
    if (wait.what == "timer" || wait.what == "turn" || wait.what == "code") return;
    const std::int64_t ms = now_ - seen.since().value_or(entry.isOlder ? entry.begun : now_);
    if (ms < kLasts) return;
    const Key key{entry.place.flow, seen.where, wait.what, wait.kind, wait.name};
    const auto [place, isNew] = places_.try_emplace(key, sums_.size());
    if (isNew) sums_.push_back({.longest = &entry, .ms = ms, .count = 0});
    Sum& sum = sums_[place->second];
    ++sum.count;
    if (ms <= sum.ms) return;
    sum.longest = &entry;
    sum.ms = ms;
}

void LastingWaits::show(Json& json) {
    std::stable_sort(sums_.begin(), sums_.end(),
                     [](const Sum& a, const Sum& b) { return a.ms > b.ms; });
    json.begin('[');
    for (std::size_t i = 0; i < std::min(kSumsShown, sums_.size()); ++i) {
        const auto& [longest, ms, count] = sums_[i];
        const Seen& seen = *longest->seen;
        const WaitSnapshot& wait = seen.waits->wait;
        json.begin('{').field("flow", longest->place.flow).field("path", seen.where);
        json.key("waits").begin('{').field("for", wait.what);
        if (!wait.kind.empty()) json.field("kind", wait.kind);
        if (!wait.name.empty()) json.field("name", wait.name);
        json.end('}').field("count", count).field("ms", ms).field("run", longest->run).end('}');
    }
    json.end(']');
}

}  // namespace steptree::detail::inspecting
