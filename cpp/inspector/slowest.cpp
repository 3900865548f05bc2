#include "slowest.hpp"

#include <algorithm>
#include <utility>

#include "cut.hpp"

namespace steptree::detail::inspecting {

namespace {

/// So many places are told apart.
constexpr std::size_t kMostPlaces = 2000;
constexpr std::size_t kPlacesShown = 20;

bool isDigit(char c) noexcept {
    return c >= '0' && c <= '9';
}

std::string withoutNumbers(const std::string& name) {
    std::string kind;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (!isDigit(name[i])) {
            kind += name[i];
        } else if (i == 0 || !isDigit(name[i - 1])) {
            kind += '*';
        }
    }
    return kind;
}

bool isSlower(const Place* a, const Place* b) noexcept {
    return a->max != b->max ? a->max > b->max : a->total > b->total;
}

}  // namespace

std::string patternOf(const std::string& element) {
    const bool isMarked = element.size() > 1 && (element[0] == '#' || element[0] == '|');
    if (!isMarked || !std::all_of(element.begin() + 1, element.end(), isDigit)) return element;
    return std::string(1, element[0]) + '*';
}

void Place::took(double ms) noexcept {
    ++count;
    total += ms;
    max = std::max(max, ms);
}

Place& Slowest::add(std::unordered_map<std::string, Place*>& to, std::string key, Place made) {
    if (places_.size() == kMostPlaces) return others_;
    places_.push_back(std::make_unique<Place>(std::move(made)));
    Place& place = *places_.back();
    to.emplace(std::move(key), &place);
    return place;
}

Place& Slowest::flowOf(std::string_view name) {
    std::string flow = withoutNumbers(cut(name));
    const auto known = flows_.find(flow);
    if (known != flows_.end()) return *known->second;
    return add(flows_, flow, {.flow = flow, .path = {}, .kind = {}});
}

Place& Slowest::placeOf(Place& around, const std::string& element, std::string_view kind) {
    if (around.isLast) return around;
    const std::string own = cut(patternOf(element), kMostOfElement);
    std::string key = std::string(kind).append(1, ' ').append(own);
    const auto known = around.inside.find(key);
    if (known != around.inside.end()) return *known->second;
    std::string path = around.path;
    if (!path.empty()) path += '/';
    path += own;
    return add(around.inside, std::move(key),
               {.flow = around.flow, .path = cutFront(path), .kind = std::string(kind)});
}

void Slowest::show(Json& json) const {
    std::vector<const Place*> all;
    const auto addIfClosed = [&all](const Place& place) {
        if (place.count > 0) all.push_back(&place);
    };
    for (const auto& place : places_) addIfClosed(*place);
    addIfClosed(others_);
    const std::size_t shown = std::min(kPlacesShown, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), all.end(),
                      isSlower);
    json.begin('[');
    for (std::size_t i = 0; i < shown; ++i) {
        const Place& place = *all[i];
        json.begin('{')
            .field("flow", place.flow)
            .field("path", place.path)
            .field("kind", place.kind)
            .field("count", place.count)
            .field("mean", tenths(place.total / static_cast<double>(place.count)))
            .field("max", tenths(place.max))
            .end('}');
    }
    json.end(']');
}

}  // namespace steptree::detail::inspecting
