#include "view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>

#include "cut.hpp"
#include "json.hpp"
#include "utf8.hpp"

namespace steptree::detail::inspecting {

namespace {

constexpr std::array<std::string_view, 6> kSorts{"since", "age", "id", "name", "deadline", "lines"};
constexpr std::array<std::string_view, 10> kWaitWords{"turn",       "code",    "stop",  "guard",
                                                      "send",       "receive", "timer", "awaitable",
                                                      "completion", "success"};
constexpr std::size_t kMostRows = 200;
constexpr double kMostExact = 9'007'199'254'740'991;  // of numbers in JSON

/// A whole number, not negative.
template <std::integral T>
bool take(const JsonValue& value, T& to) {
    constexpr double kMost =
        std::min(kMostExact, static_cast<double>(std::numeric_limits<T>::max()));
    const double* const number = std::get_if<double>(&value);
    if (number == nullptr || !(*number >= 0 && *number <= kMost)) return false;
    if (*number != std::floor(*number)) return false;
    to = static_cast<T>(*number);
    return true;
}

bool take(const JsonValue& value, std::string& to) {
    const std::string* const text = std::get_if<std::string>(&value);
    if (text == nullptr || unitsOf(*text) > kMostOfText) return false;
    to = *text;
    return true;
}

bool take(const JsonValue& value, bool& to) {
    const bool* const truth = std::get_if<bool>(&value);
    if (truth == nullptr) return false;
    to = *truth;
    return true;
}

template <class T>
bool take(const JsonValue& value, std::optional<T>& to) {
    return take(value, to.emplace());
}

/// Which of the words it is; as many as there are: none.
template <std::size_t count>
std::size_t among(const std::array<std::string_view, count>& words, const JsonValue& value) {
    const std::string* const text = std::get_if<std::string>(&value);
    const auto found = text != nullptr ? std::find(words.begin(), words.end(), *text) : words.end();
    return static_cast<std::size_t>(std::distance(words.begin(), found));
}

bool takeState(const JsonValue& value, View& view) {
    constexpr std::array<std::string_view, 2> kStates{"running", "cancelling"};
    const std::size_t state = among(kStates, value);
    view.cancelling = state == 1;
    return state < kStates.size();
}

bool takeSort(const JsonValue& value, View& view) {
    const std::size_t sort = among(kSorts, value);
    view.sort = static_cast<View::Sort>(sort);
    return sort < kSorts.size();
}

bool takeWaits(const JsonValue& value, View& view) {
    return among(kWaitWords, value) < kWaitWords.size() && take(value, view.waits);
}

bool takeField(const std::string& key, const JsonValue& value, AskedView& asked) {
    View& view = asked.view;
    if (key == "page") return take(value, asked.page);
    if (key == "text") return take(value, view.text);
    if (key == "state") return takeState(value, view);
    if (key == "waits") return takeWaits(value, view);
    if (key == "code") return take(value, view.code);
    if (key == "guard") return take(value, view.guard);
    if (key == "age") return take(value, view.age);
    if (key == "since") return take(value, view.since);
    if (key == "sort") return takeSort(value, view);
    if (key == "reverse") return take(value, view.reverse);
    if (key == "first") return take(value, view.first);
    if (key == "rows") return take(value, view.rows) && view.rows <= kMostRows;
    if (key == "open") return take(value, view.open);
    return key == "number" && take(value, view.number);
}

}  // namespace

std::optional<AskedView> viewOf(std::string_view body) {
    const auto fields = flatObject(body);
    if (!fields) return std::nullopt;
    AskedView asked;
    for (const auto& [key, value] : *fields) {
        if (!takeField(key, value, asked)) return std::nullopt;
    }
    const auto has = [&fields](const char* name) {
        return std::any_of(fields->begin(), fields->end(),
                           [name](const auto& field) { return field.first == name; });
    };
    const bool isWhole = has("page") && has("sort") && has("first") && has("rows");
    return isWhole ? std::optional(std::move(asked)) : std::nullopt;
}

std::optional<std::uint64_t> runOf(std::string_view body) {
    const auto fields = flatObject(body);
    if (!fields) return std::nullopt;
    std::optional<std::uint64_t> run;
    for (const auto& [key, value] : *fields) {
        if (key != "run" || !take(value, run)) return std::nullopt;
    }
    return run;
}

}  // namespace steptree::detail::inspecting
