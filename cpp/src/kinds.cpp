#include <algorithm>
#include <array>
#include <utility>

#include "kind.hpp"

/// A kind of the library costs a StepKind and its name here.
namespace steptree::detail {

extern const Kind loopKind, repeatKind, forEachKind, iterationKind, awaitKind, relinquishKind,
    syncKind, shieldKind, deferredKind, delayKind, retryKind, lockKind, mapKind, parallelKind,
    raceKind, anyKind, allKind, branchesKind, stepsKind, itemKind, channelKind, takeKind, hedgeKind;

namespace {

#define STEPTREE_KIND(name) std::pair(StepKind::name, &name##Kind)

constexpr std::pair<StepKind, const Kind*> entries[] = {
    STEPTREE_KIND(plain),      STEPTREE_KIND(loop),      STEPTREE_KIND(repeat),
    STEPTREE_KIND(forEach),    STEPTREE_KIND(iteration), STEPTREE_KIND(await),
    STEPTREE_KIND(relinquish), STEPTREE_KIND(sync),      STEPTREE_KIND(shield),
    STEPTREE_KIND(deferred),   STEPTREE_KIND(delay),     STEPTREE_KIND(retry),
    STEPTREE_KIND(lock),       STEPTREE_KIND(map),       STEPTREE_KIND(parallel),
    STEPTREE_KIND(race),       STEPTREE_KIND(any),       STEPTREE_KIND(all),
    STEPTREE_KIND(branches),   STEPTREE_KIND(steps),     STEPTREE_KIND(item),
    STEPTREE_KIND(channel),    STEPTREE_KIND(take),      STEPTREE_KIND(hedge)};

}  // namespace

constexpr Kinds kKinds = [] {
    Kinds kinds{};
    for (const auto& [place, kind] : entries) kinds[static_cast<std::size_t>(place)] = kind;
    return kinds;
}();

static_assert(
    [] {
        std::array<bool, kKinds.size()> has{};
        for (const auto& [place, kind] : entries) has[static_cast<std::size_t>(place)] = true;
        return std::find(has.begin(), has.end(), false) == has.end();
    }(),
    "one is missing");

}  // namespace steptree::detail
