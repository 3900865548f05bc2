#include "waiting.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "branches.hpp"
#include "error.hpp"
#include "guardlook.hpp"
#include "path.hpp"
#include "step.hpp"
#include "waits.hpp"
#include "waittext.hpp"

/// What lines wait for, where no snapshot is made: as events say it, and those inside of a step
/// when its time is over, before they are closed.
namespace steptree::detail {

namespace {

/// A section that isn't locked, or what is open; up to `stop`.
std::pair<Step*, Waits> innermostOf(Line& line, Step& stop) noexcept {
    std::pair<Step*, Waits> found{line.top, {}};
    for (Step* at = line.top; at != nullptr; at = at == &stop ? nullptr : at->parent) {
        const Kind& kind = kindOf(*at);
        if (kind.waits == nullptr || (kind.hasBranches && at != line.top)) continue;
        if (const Waits waits = kind.waits(*at); waits.what != Waits::nothing) found = {at, waits};
    }
    auto& [last, own] = found;
    if (own.what == Waits::nothing && last != nullptr) own = waitsOfExtra(*last);
    return found;
}

/// The last one comes first.
void addInside(Step& host, std::vector<Line*>& next) {
    const std::size_t first = next.size();
    for (Branch* at = branchesOf(host).eldest; at != nullptr; at = at->younger) {
        if (isOpen(*at)) next.push_back(at);
    }
    std::reverse(next.begin() + static_cast<std::ptrdiff_t>(first), next.end());
}

/// Of the one that has an element.
const char* callAround(Step& innermost) noexcept {
    const char* call = nullptr;
    for (Step* step = &innermost; step != nullptr; step = stepAround(*step)) {
        call = callWith(callOf(*step), call);
        if (hasElement(*step)) break;
    }
    return call;
}

/// `numbered`: the guard gets its number, if it has none.
WaitSnapshot shownAs(const Line& line, const Waits& waits, std::int64_t now, bool numbered) {
    WaitSnapshot shown{.what = wordOf(waits.what)};
    if (waits.due != nullptr) shown.ms = waits.due->left(now);
    if (waits.name != nullptr) shown.name = *waits.name;
    if (waits.on == nullptr) return shown;
    const GuardPlace at = GuardLook::placeOf(line, *waits.on);
    if (at.guard == nullptr) return shown;
    if (numbered) shown.guard = GuardLook::numberOf(*at.guard);
    shown.kind = at.kind;
    shown.name = at.name;
    if (at.place > 0) shown.place = at.place;
    return shown;
}

/// Path, kind and wait of the first line that waits, and how many others do; '': none.
std::string waitingIn(Step& step) {
    const std::int64_t now = step.line->core().timeForTimers();
    std::string text;
    std::size_t count = 0;
    std::vector<Line*> next{step.line};
    while (!next.empty()) {
        Line& line = *next.back();
        next.pop_back();
        const auto [last, own] = innermostOf(line, step);
        if (last == nullptr) continue;
        const Waits waits = waitsOf(line, own);
        if (last == line.top && kindOf(*last).hasBranches) addInside(*last, next);
        if (waits.what <= Waits::code || ++count > 1) continue;
        text = pathOf(callOf(*last) != nullptr ? *last : *stepAround(*last));
        if (!text.empty()) text += ' ';
        text += callAround(*last);
        text += ": " + waitText(shownAs(line, waits, now, false));
    }
    if (count > 1) text += ", and " + std::to_string(count - 1) + " more";
    return text;
}

}  // namespace

WaitSnapshot waitOf(Line& line) {
    return shownAs(line, waitsUpTo(line, nullptr), line.core().timeForTimers(), true);
}

void noteWaits(Step& step, ErrorData& error) noexcept {
    if (isPrepared(error)) return;
    try {
        std::string text = waitingIn(step);
        if (!text.empty()) error.waits = new std::string(std::move(text));
    } catch (...) {
        return;  // short of memory: that it is a timeout is what counts
    }
}

}  // namespace steptree::detail
