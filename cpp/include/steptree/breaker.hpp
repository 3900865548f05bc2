#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/detail/circuit.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/detail/holds.hpp"
#include "steptree/detail/waiters.hpp"
#include "steptree/error.hpp"
#include "steptree/guard.hpp"
#include "steptree/throttle.hpp"

namespace steptree {

/// Which errors of a section are failures: a function of the code, or of code and error. The error
/// is the StepError that the section ended with; its cause() is the exception, if that is another
/// one. Guide: docs/limits.md#which-guard
///
///     .on = [](const std::string& code) { return code != "NotFound"; }
class BreakerOn {
  public:
    BreakerOn() noexcept = default;
    template <class F>
    requires std::is_invocable_r_v<bool, const F&, const std::string&, const StepError&> BreakerOn(
        F asked)  // NOLINT: implicit
        : asked_(
              std::make_shared<Asked>([asked = std::move(asked)](const StepError& error) -> bool {
                  return asked(error.code(), error);
              })) {}
    template <class F>
    requires(std::is_invocable_r_v<bool, const F&, const std::string&> &&
             !std::is_invocable_v<const F&, const std::string&, const StepError&>)
        BreakerOn(F asked)  // NOLINT: implicit
        : asked_(
              std::make_shared<Asked>([asked = std::move(asked)](const StepError& error) -> bool {
                  return asked(error.code());
              })) {}

    /// Without a function every error is a failure.
    bool isDefault() const noexcept { return asked_ == nullptr; }
    /// May throw what the function throws.
    bool ask(const StepError& error) const { return (*asked_)(error); }

  private:
    using Asked = detail::Function<bool(const StepError&)>;

    std::shared_ptr<Asked> asked_;  // copies share it
};

/// `Breaker({.rate = 0.5, .period = 10s, .openFor = 5s})`.
struct BreakerOptions {
    double rate = 0.5;  ///< the share of failed calls from which it opens: above 0, at most 1
    /// So many of the last calls are judged, 1 to 1,000,000. Not beside a period. Without either:
    /// 20.
    std::optional<std::int64_t> calls{};
    /// The calls that ended in that time are judged, in ten slices; at least a millisecond. Without
    /// it no failure is forgotten by time: a Keyed keeps the breaker of each key that failed.
    std::optional<Period> period{};
    /// Fewer calls aren't judged; at least 1, at most `calls`. Without: 10, or `calls` if that is
    /// less.
    std::optional<std::int64_t> minCalls{};
    Period openFor = 10'000;  ///< for how long it is open, at least a millisecond
    /// Sections that have to succeed, all of which may be in at once, before it closes; at least 1.
    std::int64_t probes = 1;
    std::int64_t maxQueue = kUnlimited;  ///< lines that may wait for probes, at least 0
    /// Whether an error is a failure; without: every error is. Called when the section has closed.
    /// What it throws is reported, and the section a failure. Of a ThreadBreaker on any thread, on
    /// several at a time.
    BreakerOn on{};
    std::string name{};  ///< what errors call it; without: nothing
};

namespace detail {

/// A circuit breaker: opens when too many of its sections fail, so that nobody waits for what is
/// broken, and nobody burdens it. Closed it lets everybody in; open nobody, for `openFor`: who
/// comes fails at once with DefenseRejected, whose retryAfter() says in how many milliseconds it
/// will be half-open. Then it lets in as many as `probes`, closes when these have succeeded and
/// opens again when one fails.
///
/// Who comes while probes run waits for them, at most `maxQueue` lines; one more fails with
/// DefenseRejected, whose retryAfter() is -1, as nobody knows when a probe ends. (Of branches that
/// each enter it one may be the probe, and one that is refused cancels it: `maxQueue` is at least
/// their number less one.) When it closes all that wait are let in, when it opens again all are
/// refused; a probe that tells nothing leaves its place to the first that waits. A line that waits
/// leaves the queue when its step closes: by a cancel, a timeout, a failed sibling.
///
/// Errors that leave a section are failures, by `on` some of them. A section that is cancelled, or
/// closed by a deadline further out, tells nothing: so a deadline that is to count stands inside, a
/// fallback outside, as its success would count. A probe that never ends keeps everybody waiting:
/// it needs a deadline, too. A line that is in enters sections inside at once, uncounted, and so do
/// the branches of a probe. Has to outlive the runs of the flows that use it.
///
/// It may stand around what fans out, which is one call then, or in its branches, each of which is.
/// Inside of a limiter, not around one, as a full queue is an error, too; or let `on` say that it's
/// no failure. Guide: docs/limits.md#which-guard
///
///     auto asked = sync(breaker, ask.timeout(500ms)).onError(fallback);
///
/// Breaker is for flows of one thread. ThreadBreaker for flows of any threads, and for threads
/// without: its state, active and waiting may be called anywhere.
template <class Lock>
class STEPTREE_VISIBLE BasicBreaker final : public Guard {
  public:
    /// InternalError for a bad option.
    explicit BasicBreaker(const BreakerOptions& options = {});
    BasicBreaker(const BasicBreaker&) = delete;
    BasicBreaker& operator=(const BasicBreaker&) = delete;
    ~BasicBreaker();

    /// What a line that comes now would find: half-open begins by the clock of the flow that has
    /// opened it. A VirtualTool's clock is read on its thread only.
    BreakerState state() const;
    /// How many lines are in.
    std::int64_t active() const;
    /// How many lines wait for what probes find out.
    std::int64_t waiting() const;
    /// As it was given.
    const std::string& name() const noexcept { return name_; }

  private:
    friend KeyAccess;
    using Told = Circuit::Told;
    struct Wait;
    enum class Entry : std::uint8_t { in, wait, full, open };

    bool isNew(std::int64_t now) noexcept;
    bool admit(Line& line) noexcept override;
    void wait(Step& lock) override;
    void leave(Step& section, const Why& why) noexcept override;
    void show(GuardLook& look) override;
    void leaveAsking(Step& section, ErrorData& error, std::int64_t phase) noexcept;
    void leave(Line& line, std::int64_t phase, Told told) noexcept;
    Entry attempt(Line& line, Wait* wait, std::int64_t& retryAfter);
    bool enter(Line& line, std::int64_t now);
    bool isUnderProbe(Line& line) noexcept;
    void release(Hold& hold, Told told, std::int64_t now) noexcept;
    void grant() noexcept;
    void refuseAll(std::int64_t retryAfter) noexcept;
    void giveUp(Wait& wait, bool abandons) noexcept;
    bool isFailure(Step& section, ErrorData& error) noexcept;

    [[no_unique_address]] HomeOf<Lock> home_{"Breaker"};
    mutable Lock mutex_;
    mutable Circuit circuit_;
    const std::int64_t maxQueue_;
    Waiters waiters_;
    Holds holds_;  // the places of a line are the number of the phase in which it came
    std::int64_t active_ = 0;
    const ToolCore* core_ = nullptr;  // of the last call; may be gone
    const BreakerOn on_;
    const std::string name_;
};

extern template class BasicBreaker<NoMutex>;
extern template class BasicBreaker<std::mutex>;

}  // namespace detail

/// Lets in nobody for a while, after too much of what it let in has failed: `Breaker
/// breaker({.openFor = 5s});`. For flows of one thread, whichever tools they are of; see
/// detail::BasicBreaker. Guide: docs/limits.md#which-guard
using Breaker = detail::BasicBreaker<detail::NoMutex>;
/// The same for flows of any threads; see detail::BasicBreaker. Guide: docs/limits.md#which-guard
using ThreadBreaker = detail::BasicBreaker<std::mutex>;

}  // namespace steptree
