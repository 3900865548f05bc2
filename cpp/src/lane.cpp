#include "lane.hpp"

#include <utility>

#include "waits.hpp"

/// Which steps of a line observers know, and which they are to be told of.
namespace steptree::detail {

namespace {

bool hides(Step& step) noexcept {
    return kindOf(step).isHidden;
}

}  // namespace

bool isInLock(Step& step) noexcept {
    for (Step* at = &step; at != nullptr && !isShown(*at); at = stepAround(*at)) {
        if (hides(*at)) return true;
    }
    return false;
}

Step* innermostOf(Line& line) noexcept {
    Step* const begins = line.top != nullptr ? line.top : line.first;
    if (begins != nullptr && begins->parent == nullptr && hides(*begins)) return nullptr;
    Step* at = line.top;
    if (at == nullptr && line.isBranch()) at = static_cast<Branch&>(line).host;
    for (Step* step = at; step != nullptr && !isShown(*step); step = stepAround(*step)) {
        if (!hides(*step)) continue;
        if (step->line != &line) return nullptr;
        at = step->parent;
    }
    return at;
}

bool isHidden(Line& line) noexcept {
    return innermostOf(line) == nullptr && (line.top != nullptr || line.isBranch());
}

Step* shownFrom(Step* step) noexcept {
    while (step != nullptr && !isShown(*step)) step = stepAround(*step);
    return step;
}

std::size_t collect(Step& from, Unshown* into, std::size_t room) noexcept {
    std::size_t count = 0;
    const char* call = nullptr;
    for (Step* at = &from; at != nullptr && !isShown(*at); at = stepAround(*at)) {
        call = callWith(callOf(*at), call);
        if (hasElement(*at)) into[count++ % room] = {at, std::exchange(call, nullptr)};
    }
    return count;
}

}  // namespace steptree::detail
