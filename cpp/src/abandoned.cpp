#include "abandoned.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "cleanup.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "flowextras.hpp"
#include "foreign.hpp"
#include "remotesettlement.hpp"
#include "report.hpp"
#include "steptree/guard.hpp"
#include "waiters.hpp"

namespace steptree::detail {

/// Made when its step is left, and gone when it has settled: its slot is the one of the wait.
struct AbandonedWait : RunNode {
    struct Late : TimerNode {
        AbandonedWait* of;
    };

    AbandonedLink known{};
    EngineShare* share;
    Slot* slot = nullptr;
    std::shared_ptr<const Options> options;
    std::vector<KeptPlace*> kept;
    ErrorRef at;                   // for what it fails with, where its step was
    const void* source = nullptr;  // of what it fails with
    ErrorRef late;                 // for who waits for the places
    Late timer;
    bool tells = false;   // what it fails with
    bool failed = false;  // so that `at` is to be told
};

namespace {

void destroy(AbandonedWait& abandoned) noexcept {
    ToolCore& core = abandoned.share->core;
    core.disarm(abandoned.timer);
    core.remove(abandoned);
    if (abandoned.slot != nullptr) {
        if (RemoteSettlement* remote = core.slots.release(abandoned.slot)) dropRemote(remote);
    }
    if (abandoned.share->failed == &abandoned) abandoned.share->failed = nullptr;
    List<AbandonedLink>::unlink(abandoned.known);
    const std::vector<KeptPlace*> kept = std::move(abandoned.kept);
    delete &abandoned;
    for (KeptPlace* const place : kept) place->letGo();
}

/// After the callback in which it has settled.
void arrived(RunNode* node) noexcept {
    AbandonedWait& abandoned = *static_cast<AbandonedWait*>(node);
    const std::shared_ptr<const Options> options = std::move(abandoned.options);
    const bool failed = abandoned.failed;
    const ErrorRef error = std::move(abandoned.at);
    destroy(abandoned);
    if (failed && error->code != errors::Canceled) report(options, error);
}

void fireLate(TimerNode* node) noexcept {
    AbandonedWait& abandoned = *static_cast<AbandonedWait::Late*>(node)->of;
    const std::shared_ptr<const Options> options = abandoned.options;
    const ErrorRef late = std::move(abandoned.late);
    report(options, late);
}

/// What the steps of the line and of those around it have.
void keepPlaces(Step& step, std::vector<KeptPlace*>& kept) {
    const auto add = [&](KeptPlace* place) {
        if (place == nullptr) return;
        try {
            kept.push_back(place);
        } catch (...) {
            place->letGo();
            throw;
        }
    };
    for (Step* at = &step; at != nullptr;) {
        if (const auto keep = kindOf(*at).keep) add(keep(*at));
        if (at->parent != nullptr) {
            at = at->parent;
        } else {
            at = at->line->isBranch() ? static_cast<Branch*>(at->line)->host : nullptr;
        }
    }
}

/// Whether both are of one awaitable; one that does not tell is known by its exception.
bool isSame(const AbandonedWait& one, const AbandonedWait& other) noexcept {
    if (one.source != nullptr || other.source != nullptr) return one.source == other.source;
    const ErrorData& first = *one.at.get();
    const ErrorData& second = *other.at.get();
    if (first.native == nullptr && first.origin == nullptr) return false;
    return first.native == second.native && first.origin == second.origin;
}

/// `error` is to be told, unless another step awaited the same, too.
void fails(AbandonedWait& abandoned, ErrorRef error) noexcept {
    AbandonedWait*& known = abandoned.share->failed;
    abandoned.at = std::move(error);
    if (!abandoned.tells) return;
    if (known != nullptr && isSame(*known, abandoned)) return;
    abandoned.failed = true;
    known = &abandoned;
}

void releasePlaces(const std::vector<KeptPlace*>& kept) noexcept {
    for (KeptPlace* const place : kept) place->letGo();
}

}  // namespace

void abandon(Step& step, AwaitExtra& extra, bool stops) noexcept {
    Flow& flow = *step.line->flow;
    ToolCore& core = *flow.tool;
    std::vector<KeptPlace*> kept;
    const bool tells = !stops && extra.owned;
    try {
        keepPlaces(step, kept);
        if (kept.empty() && !tells) return;
        auto made = std::make_unique<AbandonedWait>();
        made->share = &core.engine;
        if (flow.flowExtras() != nullptr) made->options = flow.flowExtras()->options;
        made->run = &arrived;
        made->tells = tells;
        made->at = raisedBy(step, errors::Canceled, {});
        made->slot = std::exchange(extra.slot, nullptr);
        if (made->slot != nullptr) {
            made->slot->use = reinterpret_cast<std::uintptr_t>(made.get()) + Slot::abandoned;
        }
        made->timer.of = made.get();
        made->timer.fire = &fireLate;
        if (!kept.empty() && !stops && !extra.settled) {
            const std::int64_t grace = graceOf(flow);
            made->late = raisedBy(step, errors::Timeout, "what was abandoned keeps its places");
            if (grace != kForever) core.armNew(made->timer, grace);
        }
        made->kept = std::move(kept);
        AbandonedWait& abandoned = *made.release();
        abandoned.known.of = &abandoned;
        core.engine.abandoned.push(abandoned.known);
        if (!extra.settled) return;
        abandoned.source = extra.source;
        if (extra.error != nullptr) fails(abandoned, ErrorRef(std::exchange(extra.error, nullptr)));
        core.afterCallback(abandoned);
    } catch (...) {
        releasePlaces(kept);  // short of memory: as it would be if nothing went on
    }
}

void settleAbandoned(Slot& slot, Settlement& settlement) noexcept {
    auto& abandoned = *static_cast<AbandonedWait*>(slot.owner());
    abandoned.source = settlement.source;
    if (settlement.kind != Settlement::ok) {
        ErrorData& at = *abandoned.at.get();
        if (settlement.kind == Settlement::error) {
            standFor(at, settlement.code, settlement.info);
        } else {
            standFor(at, settlement.cause);
        }
        fails(abandoned, std::move(abandoned.at));
    }
    abandoned.share->core.afterCallback(abandoned);
}

void dropAbandoned(EngineShare& share) noexcept {
    while (AbandonedLink* const known = share.abandoned.front()) destroy(*known->of);
}

}  // namespace steptree::detail
