#include "steptree/detail/map.hpp"

#include <new>

#include "adder.hpp"
#include "cancel.hpp"
#include "fixed.hpp"
#include "flow.hpp"
#include "foreign.hpp"
#include "observe.hpp"
#include "onstack.hpp"
#include "report.hpp"
#include "run.hpp"
#include "unwind.hpp"

/// A map: its branches are the items of a source, of which it has never more than its
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

// in the bits of an item's line
constexpr std::uint32_t kParked = 1;
constexpr std::uint32_t kTakes = 2;  // it waits for the value of the next item

struct MapPart : HostPart {
    MapPart(const Step&, const StepSpec& spec) noexcept
        : keepsOrder(spec.keepsOrder), limit(spec.count) {}

    enum class Source : std::uint8_t {
        gives,
        waits,  // a line does so, for the value of the next item
        ended
    };

    bool keepsOrder;    // a result waits for those before it
    bool over = false;  // nothing is started any more
    Source source = Source::gives;
    std::int64_t limit;
    std::int64_t room = 0;  // so many may still be started in this turn; 0 outside of it
    std::size_t next = 0;   // number of the next item
};

static_assert(sizeof(MapPart) + 136 <= NitroSizes::map);

MapPart& mapOf(Step& host) noexcept {
    return partOf<MapPart>(host);
}
void* sourceOf(Step& host) noexcept {
    return &mapOf(host) + 1;
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
    MapPart& map = mapOf(host);
    const std::size_t stepSize = sizeof(Step) + opsOf(host).item.room;
    if (Fixed* const fixed = fixedOf(*host.line->flow)) {
        char* const region = fixed->takeRegion();
        return {region, reinterpret_cast<Step*>(region + NitroSizes::branch)};
    }
    void* line = map.place;
    if (line != nullptr) {
        map.place = *static_cast<void**>(line);
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
        map.place = ::new (line) void*(map.place);
    }
}

inline Branch& link(MapPart& map, Branch& item, Step& first) noexcept {
    item.run = &turn;
    item.first = &first;
    linkBranch(map, item);
    ++map.open;
    return item;
}

Branch& makeItem(Step& host, const Room& room) noexcept {
    MapPart& map = mapOf(host);
    const MapOps& ops = opsOf(host);
    Branch& item = *::new (room.line) Branch(*host.line->flow, host);
    Step& step = *::new (room.step) Step(StepKind::plain, &ops.item, item, nullptr);
    if (ops.part != nullptr) [[unlikely]]
        step.kind = StepKind::item;
    if (Fixed* const fixed = fixedOf(*item.flow)) {
        fixed->embed(item);
        item.arena.take(sizeof(Step) + ops.item.room);
    }
    if (ops.item.destroy != nullptr) step.flags |= kOwns;
    item.index = map.next++;
    return link(map, item, step);
}

void callWait(IAsyncSteps& asi, void*, CallArgs&) noexcept {
    Step& host = *static_cast<Branch&>(*static_cast<Step&>(asi).line).host;
    guarded(asi, [&] { opsOf(host).take->wait(sourceOf(host), asi); });
}
constexpr ClosureOps kWait{0, 0, false, nullptr, nullptr, &callWait, 0};

/// A line that waits for the value of the next item. [channel-39]
Branch& makeTaking(Step& host, const Room& room) noexcept {
    Branch& item = *::new (room.line) Branch(*host.line->flow, host);
    Step& step = *::new (room.step) Step(StepKind::take, &kWait, item, nullptr);
    if (Fixed* const fixed = fixedOf(*item.flow)) {
        fixed->embed(item);
        item.arena.take(sizeof(Step) + opsOf(host).item.room);
    }
    item.bits |= kTakes;
    item.index = mapOf(host).next;
    mapOf(host).source = MapPart::Source::waits;
    mapOf(host).room = 1;  // the last one for now, which has no item
    return link(mapOf(host), item, step);
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
    ErrorRef error;
    const Entered went = enter(host, error, [&] {
        room = roomOf(host);
        const MapOps& ops = opsOf(host);
        const bool found = ops.next(sourceOf(host), room.step + 1, map.next);
        if (found) {
            item = &makeItem(host, room);
        } else if (ops.take != nullptr && ops.take->waits(sourceOf(host))) {
            item = &makeTaking(host, room);
        } else {
            map.source = MapPart::Source::ended;
        }
    });
    if (item != nullptr) return item;
    if (room.line != nullptr) giveRoom(host, room.line);
    if (went == Entered::threw) failStep(host, std::move(error));
    return nullptr;
}

/// All results are known: the step's line goes on.
void finish(Step& host) noexcept {
    Line& line = *host.line;
    MapPart& map = mapOf(host);
    ErrorRef error;
    const Entered went = enter(host, error, [&] {
        Results values;
        opsOf(host).finish(sourceOf(host), values);
        line.keepValues(&values);
    });
    if (went == Entered::threw) failStep(host, std::move(error));
    if (went != Entered::on) return;
    map.over = true;
    if (Fixed* const fixed = fixedOf(*line.flow))
        fixed->unreserveRegions(static_cast<std::size_t>(map.limit));
    line.core().enqueue(line);
}

/// There may be room for another item, or nothing left to do.
void goOn(Step& host) noexcept {
    MapPart& map = mapOf(host);
    if (map.over || map.room > 0) return;
    if (map.source == MapPart::Source::gives) {
        if (map.open < map.limit) host.line->core().enqueue(map);
    } else if (map.open == 0) {
        finish(host);
    }
}

inline void itemDone(Branch& item) noexcept;

void itemTurn(Branch& item) noexcept {
    Budget budget(item, kBranchBurst);
    const Answer came = runPlain(item, nullptr, budget);
    if (came == Answer::pending) return;
    if (kBareItem && came == Answer::ended && item.first == nullptr) return itemDone(item);
    drive(item, budget);
}

void startItems(RunNode* node) noexcept {
    MapPart& map = static_cast<MapPart&>(*node);
    Step& host = stepOf(map);
    Flow& flow = *host.line->flow;
    ToolCore& core = *flow.tool;
    bool dropped = false;
    const OnStack onStack(flow);
    map.dropped = &dropped;
    if (map.room == 0) map.room = map.limit - map.open;
    do {
        Branch* const item = nextItem(host);
        if (dropped) return;
        const bool isQuiet = (flow.bits & (kCancelLatch | kObserved)) == 0;
        const bool ends = !isQuiet && endsHere(host);
        if (item == nullptr) {
            map.room = 0;
            break;
        }
        if (ends) break;
        // An item may have no body, and starves nobody. What waits for one is none.
        if (opsOf(host).part != nullptr && (item->bits & kTakes) == 0) core.ran(1);
        if (isQuiet) [[likely]]
            itemTurn(*item);
        else
            ObservedTurn::runInside(*item);
        if (dropped) return;
    } while (--map.room > 0 && !flow.cancelled() && !core.looksAround());
    map.dropped = nullptr;
    if (cancelled(*host.line)) return;
    if (map.room > 0) return core.putBack(map);
    goOn(host);
}

/// The same, while the flow is observed.
void startObserved(RunNode* node) noexcept {
    ObservedTurn turn(*stepOf(static_cast<MapPart&>(*node)).line->flow);
    startItems(node);
}

/// Gives a result away, perhaps to user's code. False: the map doesn't go on.
bool give(Step& host, Branch& item) noexcept {
    const std::size_t index = item.index;
    ErrorRef error;
    const Entered went = enter(host, error, [&] {
        Results values;
        if (item.values != nullptr) values = std::move(*item.values);
        closeBranch(item);
        opsOf(host).give(sourceOf(host), values, index);
    });
    if (endsHere(host)) return false;
    if (went == Entered::threw) failStep(host, std::move(error));
    return went == Entered::on;
}

Answer openMap(Line& line, Step& host) noexcept {
    MapPart& map = mapOf(host);
    const MapOps& ops = opsOf(host);
    ErrorRef error;
    const Entered went = enter(host, error, [&] {
        ops.start(sourceOf(host));
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
        return went == Entered::threw ? unwind(line, std::move(error)) : Answer::pending;
    }
    map.run = &startItems;
    line.core().enqueue(map);
    return Answer::pending;
}

/// The turn of the line that has waited is the map's: what has come is an item at once, so that it
/// isn't lost. One that has found that it needn't wait has nothing, and has the map's turn: the map
/// looks again in its next one. [channel-41]
[[gnu::noinline]] void taken(Branch& line) noexcept {
    Step& host = *line.host;
    MapPart& map = mapOf(host);
    map.source = MapPart::Source::gives;
    if (line.hasValues()) opsOf(host).take->keep(sourceOf(host), *line.values);
    closeBranch(line);
    if (map.room != 0) return;
    isObserved(*host.line->flow) ? startObserved(&map) : startItems(&map);
}

/// An item has ended with ok. The row map: inline, where its first turn is its last.
inline void itemDone(Branch& item) noexcept {
    Step& host = *item.host;
    MapPart& map = mapOf(host);
    if ((item.bits & kTakes) != 0) [[unlikely]]
        return taken(item);
    if (!map.keepsOrder) {
        if (!give(host, item)) return;
    } else {
        item.bits |= kParked;
        for (Branch* next = map.eldest; next != nullptr && (next->bits & kParked) != 0;
             next = map.eldest) {
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
    if (std::exchange(map.over, true) || map.run == nullptr) return;
    ToolCore& core = host.line->core();
    core.remove(map);
    if (map.dropped != nullptr) *map.dropped = true;
    if (Fixed* const fixed = fixedOf(*host.line->flow)) {
        fixed->unreserveRegions(static_cast<std::size_t>(map.limit - map.open));
    }
}

void closeSource(Line& line, Step& host) noexcept {
    // it is left anyhow
    const ErrorRef error = enterForGood(host, [&] { opsOf(host).close(sourceOf(host)); });
    if (error) report(*line.flow, error);
}

/// A step value stands in the place of the body.
Answer openItem(Line& line, Step& step) noexcept {
    const Definition* part = nullptr;
    ErrorRef error;
    const Entered went = enter(step, error, [&] {
        markArena(step);
        line.makeValues();
        part = &opsOf(*static_cast<Branch&>(line).host).part(closureOf(step), *line.values);
    });
    if (went == Entered::threw) return unwind(line, std::move(error));
    if (went == Entered::cancelled) return Answer::pending;
    return openPart(line, step, *part, kHidden);
}

/// Also while items run: it may be about to look for more.
Waits waitsOfMap(Step& host) noexcept {
    return {.what = mapOf(host).queued() ? Waits::turn : Waits::nothing};
}

}  // namespace

bool observeItems(RunNode& node) noexcept {
    if (node.run != &startItems) return false;
    node.run = &startObserved;
    return true;
}

extern constexpr Kind mapKind{.size = sizeof(MapPart),
                              .hasBranches = true,
                              .make = &makePart<MapPart>,
                              .open = &openMap,
                              .exit = &closeSource,
                              .branchEnded = &itemDone,
                              .branchLeft = &freeItem,
                              .stop = &stopMap,
                              .name = "map",
                              .waits = &waitsOfMap};
extern constexpr Kind itemKind{.open = &openItem,
                               .endsInside = [](Step&) noexcept { return true; }};

}  // namespace steptree::detail
