#include "kind.hpp"

/// A kind of the library costs a StepKind and its place here.
namespace steptree::detail {

extern const Kind loopKind, repeatKind, forEachKind, iterationKind, awaitKind, relinquishKind,
    syncKind, shieldKind, deferredKind, delayKind, retryKind, lockKind, mapKind, parallelKind,
    raceKind, anyKind;

constexpr const Kind* kKinds[] = {
    &plainKind,      &loopKind, &repeatKind,   &forEachKind,  &iterationKind, &awaitKind,
    &relinquishKind, &syncKind, &shieldKind,   &deferredKind, &delayKind,     &retryKind,
    &lockKind,       &mapKind,  &parallelKind, &raceKind,     &anyKind};

static_assert(std::size(kKinds) == static_cast<std::size_t>(StepKind::other));

}  // namespace steptree::detail
