#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "steptree/detail/function.hpp"
#include "steptree/snapshot.hpp"
#include "steptree/tool.hpp"

namespace steptree {

namespace detail {
struct Observers;
struct EventData;
struct Watch;
}  // namespace detail

/// Something that a flow does, as observers are told. Good during that call only; what it says is
/// worked out when it's asked for, which may throw bad_alloc. On the tool's thread.
/// Guide: docs/hangs.md#see-it-happen
///
///     if (event.what() == "closed" && event.outcome() == "error") log(event.path(), event.code());
class STEPTREE_VISIBLE FlowEvent {
  public:
    FlowEvent(const FlowEvent&) = delete;
    FlowEvent& operator=(const FlowEvent&) = delete;

    /// `begun`: the flow has been executed. `turn`: a line of it gets the turn. `opened`: a step is
    /// open, and is about to run code of the program, or to wait. `body`, `returned`: a body is
    /// about to be called, or has been. `handler`, `cancel`: such a handler is about to be called.
    /// `closed`: a step that was opened is closed. `waits`: a line has had its turn and waits.
    /// `ended`: nothing of the flow is open any more.
    std::string_view what() const noexcept;
    /// When it's told: that of the tool, in milliseconds.
    std::int64_t time() const noexcept;
    /// From 1 on, of all flows of the tool. Who isn't told of bodies finds gaps where others are.
    std::uint64_t sequence() const noexcept;

    /// The number of the flow in snapshots.
    std::uint64_t flowId() const;
    /// By its options, or empty.
    std::string_view flowName() const noexcept;

    /// Which step it is: the same in all its events, and no other that is open in the tool has it.
    /// 0: there is none. Of a `turn` as path().
    std::uint64_t step() const noexcept;
    /// That of the step around it; of a branch of the step that it belongs to. 0: there is none.
    std::uint64_t parent() const noexcept;
    /// Of the step; of a `turn`: of the innermost one that was opened. Empty: there is none.
    std::string path() const;
    /// The last part of that.
    std::string element() const;
    /// `opened`: the call that makes the step, as `step`, `sync`, `forEach`; else empty.
    std::string_view kind() const noexcept;
    /// `closed`: `ok`, `error`, or `left`: from outside. `ended`: `ok`, `error` or `cancelled`.
    /// Else empty.
    std::string_view outcome() const noexcept;
    /// `handler`, and where the outcome is `error`; else empty.
    std::string_view code() const noexcept;
    /// `waits`: what for.
    std::optional<WaitSnapshot> waits() const;

    /// For the runtime itself.
    const detail::EventData& data() const noexcept { return data_; }

  private:
    friend struct detail::Observers;
    explicit FlowEvent(const detail::EventData& data) noexcept : data_(data) {}

    const detail::EventData& data_;
};

/// Of observe().
struct ObserveOptions {
    bool bodies = false;  ///< whether each call of a body is told, too
};

/// Who observes the flows of a tool, until it is destroyed or cancelled. It may outlive the tool.
/// Guide: docs/hangs.md#see-it-happen
///
///     Observation watching = tool.observe(&note);
///     watching.cancel();
class STEPTREE_VISIBLE Observation {
  public:
    Observation() noexcept = default;
    Observation(Observation&& other) noexcept;
    Observation& operator=(Observation&& other) noexcept;
    ~Observation();

    /// The function is not called any more, unless it is called on another thread right now. Any
    /// thread. Again: nothing.
    void cancel() noexcept;
    /// Whether it is still called.
    bool valid() const noexcept;

  private:
    friend class Tool;
    explicit Observation(std::shared_ptr<detail::Watch> watch) noexcept;

    std::shared_ptr<detail::Watch> watch_;
};

}  // namespace steptree
