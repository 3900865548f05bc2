#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "steptree/detail/function.hpp"
#include "steptree/observe.hpp"
#include "steptree/snapshot.hpp"

/// What an inspector sees of a tool beyond snapshots and events. It is a library of its own, so
/// these are calls by which it gets along without the engine's headers.
namespace steptree::detail {

struct Flow;

/// A guard that a flow has, or waits for, and where its lines are that have it.
struct SeenGuard {
    const GuardSnapshot* guard;  // good until the next look
    std::vector<GuardSnapshot::Holder> holders;
};

struct SeenFlow {
    FlowSnapshot flow;
    std::vector<SeenGuard> guards;  // each once
};

/// Looks at flows of a tool: good for as long as nothing moves. Throws bad_alloc.
class Looks {
  public:
    virtual ~Looks() = default;
    virtual SeenFlow at(Flow& flow) = 0;
    /// Of the tool, when they began.
    virtual std::int64_t time() const noexcept = 0;
};

/// Who is told.
class Witness {
  public:
    virtual ~Witness() = default;
    virtual void told(const FlowEvent& event, Flow& flow) noexcept = 0;
    virtual void turnEnds() noexcept = 0;
};

/// A tool that may be gone.
class Sight {
  public:
    virtual ~Sight() = default;

    // ---- any thread

    /// In the tool's next pass; if the tool is gone, here and with false. `act` may not throw.
    virtual void later(Function<void(bool alive)> act) = 0;
    virtual bool isHere() const noexcept = 0;
    virtual bool standsStill() const noexcept = 0;
    /// The witness is told nothing more, unless it is told on another thread right now.
    virtual void end() noexcept = 0;

    // ---- on the tool's thread, while it lives

    /// It is kept until end() has been seen there, or the tool goes. Throws bad_alloc: it isn't.
    virtual void begin(std::shared_ptr<Witness> witness) = 0;
    virtual std::int64_t now() const noexcept = 0;
    /// Those that run, as events say it: their end hasn't been told, their begin isn't to be.
    virtual std::vector<Flow*> flows() const = 0;
    virtual std::unique_ptr<Looks> looks() const = 0;
    virtual void cancel(Flow& flow) noexcept = 0;
};

}  // namespace steptree::detail
