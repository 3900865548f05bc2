#include "map.hpp"

#include <new>

#include "budget.hpp"
#include "cancel.hpp"
#include "door.hpp"
#include "end.hpp"
#include "fast.hpp"
#include "fixed.hpp"
#include "flow.hpp"
#include "foreign.hpp"
#include "level.hpp"
#include "parallel.hpp"
#include "run.hpp"
#include "scope.hpp"
#include "unwind.hpp"

/// A map: a parallel whose branches are the items of a source, of which it has never more than its
/// limit.
///
/// It stands in the run queue itself, once for all items that there is room for. In its turn it
/// takes as many from the source as there is room for then, and each begins with its first turn at
/// once: nothing comes in between, as with branches. A closed item leaves its memory to the next
/// one: its line, its step, and as that step's closure the item itself lie in one piece.
///
/// Open items are linked in the order of the source. One whose result can't be given yet is open,
/// has no step left, and is marked kParked. `over` from the moment on in which nothing is started
/// any more: the map has ended, or a closing has reached it.
namespace steptree::detail {

namespace {

constexpr std::uint32_t kParked = 1;  // in the bits of an item's line

MapPart& mapOf(Step& host) noexcept {
    return partOf<MapPart>(host);
}
const MapOps& opsOf(Step& host) noexcept {
    return *static_cast<const MapOps*>(host.ops);
}

/// The memory of an item that has not started, and where its step is in it.
struct Room {
    void* line;
    Step* step;
};

Room roomOf(Step& host) {
    ParallelPart& items = mapOf(host).items;
    const std::size_t stepSize = sizeof(Step) + opsOf(host).item.room;
    if (Fixed* const fixed = fixedOf(*host.line->flow)) {
        char* const region = fixed->takeRegion();
        return {region, reinterpret_cast<Step*>(region + NitroSizes::branch)};
    }
    void* line = items.place;
    if (line != nullptr) {
        items.place = *static_cast<void**>(line);
    } else {
        line = host.line->arena.allocate(*host.line, sizeof(Branch) + stepSize);
    }
    return {line, reinterpret_cast<Step*>(static_cast<Branch*>(line) + 1)};
}

void giveRoom(Step& host, void* line) noexcept {
    MapPart& map = mapOf(host);
    if (Fixed* const fixed = fixedOf(*host.line->flow)) {
        fixed->giveRegion(line);
        if (!map.over) fixed->reserveAgain();
    } else {
        map.items.place = ::new (line) void*(map.items.place);
    }
}

Branch& makeItem(Step& host, const Room& room) noexcept {
    MapPart& map = mapOf(host);
    ParallelPart& items = map.items;
    const MapOps& ops = opsOf(host);
    Branch& item = *::new (room.line) Branch(*host.line->flow, host);
    Step& step = *::new (room.step) Step(StepKind::plain, &ops.item, item, nullptr);
    if (Fixed* const fixed = fixedOf(*item.flow)) {
        fixed->embed(item);
        item.arena.take(sizeof(Step) + ops.item.room);
    }
    if (ops.item.destroy != nullptr) step.flags |= kOwns;
    item.run = &turn;
    item.first = &step;
    item.index = map.next++;
    item.elder = items.youngest;
    (items.youngest == nullptr ? items.eldest : items.youngest->younger) = &item;
    items.youngest = &item;
    ++items.open;
    return item;
}

/// After a call of the source or sink, whether the flow is cancelled with the map. Of a shielded
/// map the rest of the flow is closed here, before anything else.
bool endsHere(Step& host) noexcept {
    Line& line = *host.line;
    Flow& flow = *line.flow;
    if (!flow.cancelled()) [[likely]]
        return false;
    if (!cancelled(flow, line) && flow.tool->alive()) cancelNowOrLater(flow);
    return cancelled(flow, line);
}

/// Asks the source, which is user's code. Null: there is no item to start now.
Branch* nextItem(Step& host) noexcept {
    MapPart& map = mapOf(host);
    Room room{nullptr, nullptr};
    Branch* item = nullptr;
    ErrorRef error = callForGood(host, [&] {
        room = roomOf(host);
        const bool found = opsOf(host).next(closureOf(host), room.step + 1, map.next);
        if (found) item = &makeItem(host, room);
        map.ended = !found;
    });
    if (item != nullptr) return item;
    if (room.line != nullptr) giveRoom(host, room.line);
    if (error && answer(*host.line) == Went::on) failHost(host, std::move(error));
    return nullptr;
}

/// All results are known: the step's line goes on.
void finish(Step& host) noexcept {
    Line& line = *host.line;
    MapPart& map = mapOf(host);
    ErrorRef error = callForGood(host, [&] {
        Results values;
        opsOf(host).finish(closureOf(host), values);
        line.keepValues(&values);
    });
    if (error) return failHost(host, std::move(error));
    map.over = true;
    if (Fixed* const fixed = fixedOf(*line.flow))
        fixed->unreserveRegions(static_cast<std::size_t>(map.limit));
    line.core().enqueue(line);
}

/// There may be room for another item, or nothing left to do.
void goOn(Step& host) noexcept {
    MapPart& map = mapOf(host);
    if (map.over || map.room > 0) return;
    if (!map.ended) {
        if (map.items.open < map.limit) host.line->core().enqueue(map.items);
    } else if (map.items.open == 0) {
        finish(host);
    }
}

void itemTurn(Branch& item) noexcept {
    Budget budget(item, kBranchBurst);
    const Level level = runPlain(item, nullptr, budget);
    if (level == Level::over) return;
    if (kBareItem && level == Level::through && item.first == nullptr) return itemDone(item);
    drive(item, budget);
}

void startItems(RunNode* node) noexcept {
    ParallelPart& items = static_cast<ParallelPart&>(*node);
    Step& host = items.step;
    MapPart& map = mapOf(host);
    Flow& flow = *host.line->flow;
    ToolCore& core = *flow.tool;
    bool dropped = false;
    const Scope scope(flow);
    items.dropped = &dropped;
    if (map.room == 0) map.room = map.limit - items.open;
    do {
        Branch* const item = nextItem(host);
        if (dropped) return;
        const bool ends = endsHere(host);
        if (item == nullptr) {
            map.room = 0;
            break;
        }
        if (ends) break;
        itemTurn(*item);
        if (dropped) return;
    } while (--map.room > 0 && !flow.cancelled() && !core.looksAround());
    items.dropped = nullptr;
    if (cancelled(*host.line)) return;
    if (map.room > 0) return core.putBack(items);
    goOn(host);
}

/// Gives a result away, perhaps to user's code. False: the map doesn't go on.
bool give(Step& host, Branch& item) noexcept {
    const std::size_t index = item.index;
    ErrorRef error = callForGood(host, [&] {
        Results values;
        if (item.values != nullptr) values = std::move(*item.values);
        branchClosed(item);
        opsOf(host).give(closureOf(host), values, index);
    });
    if (endsHere(host)) return false;
    if (!error) return true;
    failHost(host, std::move(error));
    return false;
}

}  // namespace

bool startMap(Line& line, Step& host) noexcept {
    MapPart& map = mapOf(host);
    const MapOps& ops = opsOf(host);
    ErrorRef error;
    const Went went = call(host, error, [&] {
        ops.start(closureOf(host));
        checkFits(line, ops.item);
        if (Fixed* const fixed = fixedOf(*line.flow)) {
            fixed->checkItem(line, sizeof(Step) + ops.item.room);
            fixed->reserveRegions(line, static_cast<std::size_t>(map.limit));
        } else {
            markArena(host);
        }
    });
    if (error) {
        map.over = true;
        return went == Went::threw && goOn(line, unwind(line, std::move(error)));
    }
    map.items.run = &startItems;
    line.core().enqueue(map.items);
    return false;
}

void itemDone(Branch& item) noexcept {
    Step& host = *item.host;
    MapPart& map = mapOf(host);
    if (!map.keepsOrder) {
        if (!give(host, item)) return;
    } else {
        item.bits |= kParked;
        for (Branch* next = map.items.eldest; next != nullptr && (next->bits & kParked) != 0;
             next = map.items.eldest) {
            if (!give(host, *next)) return;
        }
    }
    goOn(host);
}

/// An item that is pinned keeps its room, with what the source has given.
void freeItem(Branch& item) noexcept {
    if ((item.bits & kPinnedLine) == 0) giveRoom(*item.host, &item);
}

void stopMap(Step& host) noexcept {
    MapPart& map = mapOf(host);
    if (std::exchange(map.over, true)) return;
    ToolCore& core = host.line->core();
    core.remove(map.items);
    if (map.items.dropped != nullptr) *map.items.dropped = true;
    if (Fixed* const fixed = fixedOf(*host.line->flow)) {
        fixed->unreserveRegions(static_cast<std::size_t>(map.limit - map.items.open));
    }
}

void closeSource(Step& host) noexcept {
    const ErrorRef error = callForGood(host, [&] { opsOf(host).close(closureOf(host)); });
    if (error) report(*host.line->flow, error);
}

}  // namespace steptree::detail
