#pragma once

#include <cstddef>
#include <cstdint>

#include "arena.hpp"
#include "extra.hpp"
#include "steptree/outcome.hpp"

/// What an operation that is abandoned may still use: the steps that are open around it. Their
/// memory stays, and is destroyed when the last such operation of the flow has ended.
///
///     pinned line    arena: ... open frames | Pin | what comes later
///
/// A frame that is pinned leaves its line as any other, but its closures, coroutine and stack
/// objects are set aside, and its arena goes back no further than to the pin.
namespace steptree::detail {

struct Remains;
struct Outliving;

/// On top of an arena as a block without room: what is below stays.
struct Pin {
    Block block{};
    Remains* remains = nullptr;
    Pin* next = nullptr;  // of those whose arena has given up what is below them
};

/// One operation: made before it begins, with a pin for each line around its step.
struct Outliving : RemoteNode {
    Step* step;
    Remains* remains;
    Outliving* next;  // of those that were abandoned
    std::uint32_t count;

    Pin* pins() noexcept { return reinterpret_cast<Pin*>(this + 1); }
};

/// Of a flow.
struct Remains {
    explicit Remains(Flow& flow) noexcept : flow(&flow) {}

    Flow* flow;
    std::uint32_t active = 0;        // operations that were abandoned and go on
    bool orphan = false;             // the flow's owner is gone: it is freed with the last of them
    Outliving* abandoned = nullptr;  // their pins may be in arenas for as long as the flow lives
    Step* steps = nullptr;           // set aside: with closures
    Extra* extras = nullptr;
    Pin* given = nullptr;                                 // what is below belongs to nobody else
    alignas(Outcome) std::byte outcome[sizeof(Outcome)];  // of a flow that settles a promise
};

/// For an operation that the step is about to begin. Throws bad_alloc.
Outliving* makeOutliving(Step& step);
/// It has ended in time.
void dropOutliving(Outliving* outliving) noexcept;
/// It is abandoned: pins what is open. Whoever gets that lets go of it when it has ended, on any
/// thread.
Outlived pin(Outliving* outliving) noexcept;
/// A pinned step has remains its line.
void setAside(Step& step, const Why& why) noexcept;
/// The flow's owner is gone. Whether the flow has to stay.
bool staysBehind(Flow& flow) noexcept;
void dropRemains(Remains* remains) noexcept;

}  // namespace steptree::detail
