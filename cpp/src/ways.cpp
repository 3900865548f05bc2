#include "ways.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "lane.hpp"
#include "path.hpp"
#include "texts.hpp"

namespace steptree::detail {

namespace {

constexpr std::size_t kEnds = 8;  // so many elements of a long path are shown at each end
constexpr std::size_t kLong = 2 * kEnds;
constexpr std::size_t kSpan = 1024;  // from one open step whose length is known to the next
constexpr const char* kUnknown = "…";

/// Null: it's the outermost.
Step* toldAround(Step& step) noexcept {
    return shownFrom(stepAround(step));
}

void putInFront(std::string& path, const std::string& element) {
    path.insert(0, path.empty() ? element : element + '/');
}

}  // namespace

std::string shortText(std::string text) {
    std::array<char, Texts::kMost> into;
    return std::string(shortened(text, into));
}

const Way& Ways::add(Way way) {
    return ways_.emplace_back(std::move(way));
}

void Ways::closed(Step& step, std::string element, Step* parent) {
    Way way{.element = std::move(element)};
    if (parent != nullptr) {
        way.around = &wayOf(*parent);
        way.length = way.around->length + 1;
        way.head = way.around->head;
    }
    const Way& added = add(std::move(way));
    if (added.length == kEnds) ways_.back().head = &heads_.emplace_back(pathOf(added));
    closed_[&step] = {&added, parent};
}

const Way& Ways::wayOf(Step& step) {
    const auto found = closed_.find(&step);
    if (found != closed_.end()) return *found->second.way;
    if (asks_) return openWay(step);
    static const Way unknown{.element = kUnknown};
    return unknown;
}

/// Some of those on the way out get to know their lengths with it: the next one that is asked for
/// is near.
const Way& Ways::openWay(Step& step) {
    std::vector<std::pair<Step*, std::size_t>> passed;
    std::size_t count = 0;
    const Way* known = nullptr;
    for (Step* at = &step; at != nullptr; at = toldAround(*at)) {
        const auto found = open_.find(at);
        if (found != open_.end()) {
            known = found->second;
            break;
        }
        if (count % kSpan == 0) passed.emplace_back(at, count);
        ++count;
    }
    const std::size_t length = count + (known != nullptr ? known->length : 0);
    const std::string* head = known != nullptr ? known->head : nullptr;
    if (head == nullptr && length >= kEnds) {
        std::string text;
        Step* at = &step;
        for (std::size_t left = length - kEnds; left > 0; --left) at = toldAround(*at);
        for (; at != nullptr; at = toldAround(*at))
            putInFront(text, shortText(detail::elementOf(*at)));
        head = &heads_.emplace_back(std::move(text));
    }
    for (const auto& [at, before] : passed) {
        const std::size_t own = length - before;
        const std::string* const its = own >= kEnds ? head : nullptr;
        open_[at] = &add({.element = {}, .open = at, .length = own, .head = its});
    }
    return *(open_.contains(&step) ? open_[&step] : known);
}

std::string Ways::elementOf(Step& step) {
    return elementOf(wayOf(step));
}

std::string Ways::elementOf(const Way& way) {
    return way.open != nullptr ? shortText(detail::elementOf(*way.open)) : way.element;
}

Step* Ways::around(Step& step) {
    const auto found = closed_.find(&step);
    if (found != closed_.end()) return found->second.parent;
    return asks_ ? toldAround(step) : nullptr;
}

std::string Ways::pathOf(Step& step) {
    return pathOf(wayOf(step));
}

/// All of them, or the last ones behind the first.
std::string Ways::pathOf(const Way& way) {
    std::size_t left = way.length > kLong ? kEnds : way.length;
    std::string path;
    const Way* at = &way;
    for (; left > 0 && at != nullptr && at->open == nullptr; --left, at = at->around)
        putInFront(path, at->element);
    if (at != nullptr) {
        for (Step* step = at->open; left > 0; --left, step = toldAround(*step))
            putInFront(path, shortText(detail::elementOf(*step)));
    }
    if (way.length > kLong) path = *way.head + '/' + kUnknown + '/' + path;
    return path;
}

}  // namespace steptree::detail
