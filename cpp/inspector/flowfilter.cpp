#include "flowfilter.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>

#include "cut.hpp"

namespace steptree::detail::inspecting {

namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

std::vector<std::string> wordsOf(const std::string& text) {
    constexpr std::string_view kSpaces = " \t\r\n\f\v";
    std::vector<std::string> words;
    for (std::size_t at = text.find_first_not_of(kSpaces); at != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(kSpaces, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(kSpaces, end);
    }
    return words;
}

bool hasToDoWith(const Seen& seen, std::uint64_t guard) {
    return std::any_of(seen.guards.begin(), seen.guards.end(),
                       [guard](const Had& had) { return had.guard->id == guard; });
}

}  // namespace

FlowFilter::FlowFilter(const View& view, std::int64_t now)
    : view_(view), now_(now), words_(wordsOf(lowered(view.text))) {}

bool FlowFilter::operator()(const FlowEntry& entry) const {
    const Seen* const seen = entry.seen ? &*entry.seen : nullptr;
    const bool isCancelling = seen != nullptr && seen->cancelling;
    if (view_.cancelling && *view_.cancelling != isCancelling) return false;
    if (view_.waits) {
        if (seen == nullptr || !seen->waits || seen->waits->wait.what != *view_.waits) return false;
    }
    if (view_.code && entry.code != view_.code) return false;
    if (view_.age && now_ - entry.begun < *view_.age) return false;
    if (view_.since) {
        if (seen == nullptr || !seen->since() || now_ - *seen->since() < *view_.since) return false;
    }
    if (view_.guard && (seen == nullptr || !hasToDoWith(*seen, *view_.guard))) return false;
    if (words_.empty()) return true;
    const std::string text = seen != nullptr ? std::string() : lowered(entry.name);
    const std::string& searched = seen != nullptr ? seen->text : text;
    return std::all_of(words_.begin(), words_.end(), [&searched](const std::string& word) {
        return searched.find(word) != std::string::npos;
    });
}

std::int64_t FlowOrder::keyOf(const FlowEntry& entry) const noexcept {
    const Seen* const seen = entry.seen ? &*entry.seen : nullptr;
    switch (view_.sort) {
        case View::Sort::since:
            return seen != nullptr ? seen->since().value_or(kUnknown) : kUnknown;
        case View::Sort::deadline:
            return seen != nullptr ? seen->due.value_or(kUnknown) : kUnknown;
        case View::Sort::lines:
            return -static_cast<std::int64_t>(seen != nullptr ? seen->lines : 1);
        case View::Sort::age:
            return entry.begun;
        case View::Sort::id:
            return static_cast<std::int64_t>(entry.id);
        case View::Sort::name:
            return 0;
    }
    return 0;
}

bool FlowOrder::operator()(const FlowEntry* a, const FlowEntry* b) const {
    if (view_.sort == View::Sort::name && a->name != b->name)
        return (a->name < b->name) != view_.reverse;
    const std::int64_t first = keyOf(*a);
    const std::int64_t second = keyOf(*b);
    if (first == second) return a->run < b->run;
    if (first == kUnknown || second == kUnknown) return first < second;
    return (first < second) != view_.reverse;
}

}  // namespace steptree::detail::inspecting
