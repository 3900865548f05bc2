#include "shelter.hpp"

#include "timer.hpp"

namespace steptree::detail {

void disarmTimers(Step* step, Step* stop) noexcept {
    for (; step != nullptr && step != stop; step = step->parent) {
        if (step->extras != nullptr) disarmStep(*step);
    }
}

Shelter* shelterInside(Line& line, Step* stop) noexcept {
    if ((line.bits & kSheltered) == 0) return nullptr;
    Step* found = nullptr;
    for (Step* step = line.top; step != nullptr && step != stop; step = step->parent) {
        if ((step->flags & kShelters) != 0) found = step;
    }
    return found != nullptr ? &shelterOf(*found) : nullptr;
}

}  // namespace steptree::detail
