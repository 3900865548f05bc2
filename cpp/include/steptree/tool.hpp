#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/detail/duration.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/snapshotoptions.hpp"

namespace steptree {

namespace detail {
class Sight;
class ToolCore;
class ToolTask;
}  // namespace detail
struct ObserveOptions;
struct Snapshot;
struct StartOptions;
class FlowEvent;
class Observation;
class Error;
template <class T, class E>
class Future;
template <class In, class Out>
class Step;

/// A pending callback of a tool. May be kept, moved and used on any thread, also after the tool is
/// gone; dropping it leaves the callback pending. Guide: docs/waiting.md#event-loops
///
///     Handle handle = tool.deferred(50ms, &tell);
///     handle.cancel();
class STEPTREE_VISIBLE Handle {
  public:
    Handle() noexcept = default;
    explicit Handle(detail::ToolTask* task) noexcept : task_(task) {}  // takes over a reference
    Handle(Handle&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(task_, other.task_);
        return *this;
    }
    ~Handle();

    /// The callback will not run, unless it is running on another thread right now. On the tool's
    /// thread its captures are destroyed in the call, else a little later by the tool. Again, or
    /// too late: nothing.
    void cancel() noexcept;

    /// Whether the callback is still to run.
    bool valid() const noexcept;

  private:
    detail::ToolTask* task_ = nullptr;
};

/// The event loop that flows run on: AsyncTool or VirtualTool. Guide: docs/waiting.md#event-loops
///
///     Handle handle = tool.deferred(50ms, &tell);
class STEPTREE_VISIBLE Tool {
  public:
    using Callback = detail::Function<void()>;
    using ErrorHook = detail::Function<void(std::exception_ptr)>;

    Tool(const Tool&) = delete;
    Tool& operator=(const Tool&) = delete;

    /// Runs `callback` in the next pass, in the order of these calls. Any thread; never waits.
    Handle immediate(Callback callback);

    /// Runs `callback` in the first timer pass after `delay`: milliseconds or any chrono duration,
    /// rounded up. In the order (due time, order of these calls). Any thread; never waits.
    /// Infinity: never. Negative or NaN: InternalError to the caller.
    template <class Time>
    Handle deferred(Time delay, Callback callback) {
        return arm(detail::wholeMilliseconds(delay), std::move(callback));
    }

    /// Runs a step value in a flow of its own, which is the tool's: it goes when it has ended, or
    /// with the tool, which destroys it first. Its first body runs from the tool. An error of it
    /// goes to `done` of the options; without that to `unhandled` of the flow's options; without
    /// that the process aborts. Several that end together: Scope. Any thread; never waits. Include
    /// "steptree/run.hpp". Guide: docs/server.md
    ///
    ///     tool.start(serve.with(client));
    template <class In, class Out>
    void start(const Step<In, Out>& value);
    /// The same: `tool.start(serve.with(client), {.done = &tellEnd})`. Guide: docs/server.md
    template <class In, class Out>
    void start(const Step<In, Out>& value, StartOptions options);

    /// Whole milliseconds since the tool was made. Any thread, but for a VirtualTool.
    std::int64_t now() const noexcept;

    /// The next number of the tool's own sequence: 0 or more and below 1, in steps of 2^-32. On the
    /// tool's thread; on another: InternalError.
    double random();

    /// How many timers have yet to fire: those of steps, of guards that somebody waits for, and of
    /// deferred(); none that wait for ever. Looks at each of them: for a quiet moment. On the
    /// tool's thread; on another: InternalError.
    std::size_t armedTimers() const;

    /// What all flows of the tool that run are doing now, as plain data, and the guards that they
    /// have or wait for. At any time, also from a body; nothing is paid for it before it is asked.
    /// On the tool's thread; on another: InternalError. Include "steptree/snapshot.hpp".
    /// Guide: docs/hangs.md#find-it-what-each-waits-for
    ///
    ///     std::cerr << snapshotText(tool.snapshot()) << std::endl;
    Snapshot snapshot(const SnapshotOptions& options = {}) const;
    /// The same from any thread, taken in the tool's next pass; it never waits. A tool that goes
    /// before has no flows in it.
    Future<Snapshot, Error> snapshotSoon(const SnapshotOptions& options = {}) const;

    /// Calls `observer` with each thing that flows of the tool do, until what is returned is
    /// destroyed or cancelled: when they begin and end, their steps open and close, handlers are
    /// called, lines get the turn and wait. Nothing is paid for it where nobody observes. Several
    /// observers are called in the order of these calls. What one throws goes to `report` of the
    /// flow's options. They may not run the tool: InternalError.
    /// On the tool's thread; on another: InternalError. Include "steptree/observe.hpp".
    /// Guide: docs/hangs.md#see-it-happen
    ///
    ///     const Observation watching = tool.observe(&note, {.bodies = true});
    [[nodiscard]] Observation observe(detail::Function<void(const FlowEvent&)> observer);
    [[nodiscard]] Observation observe(detail::Function<void(const FlowEvent&)> observer,
                                      const ObserveOptions& options);

    /// What an exception that leaves a callback of this tool is given to; the loop goes on. Without
    /// a hook it is printed and the process aborts. The hook may not throw. Any thread.
    void onError(ErrorHook hook);

    /// Gives memory that no flow uses back to the heap, or asks the tool's pool to do so. Flows and
    /// what has been promised to completions stay. Takes as long as the free blocks are many: for a
    /// quiet moment. On the tool's thread; on another: InternalError.
    void releaseMemory();

    /// For the runtime itself.
    detail::ToolCore& core() const noexcept { return *core_; }
    /// The same, for inspectors.
    std::shared_ptr<detail::Sight> sight() const;

  protected:
    explicit Tool(detail::ToolCore* core) noexcept : core_(core) {}
    ~Tool();

  private:
    Handle arm(std::int64_t ms, Callback&& callback);

    detail::ToolCore* core_;
};

}  // namespace steptree
