#pragma once

#include <cstdint>
#include <utility>

#include "step.hpp"

/// What is to be done when code on the native stack returns: each is held by who calls it.
namespace steptree::detail {

// ---- flow.cpp
void leaveFlow(Flow& flow) noexcept;

/// The flow has code on the native stack: a cancel meanwhile is latched, performed when the last of
/// nested ones ends; and nobody frees the flow.
class OnStack {
  public:
    explicit OnStack(Flow& flow) noexcept : flow_(flow) { flow.bits += kOnStack; }
    OnStack(const OnStack&) = delete;
    OnStack& operator=(const OnStack&) = delete;
    ~OnStack() {
        if ((flow_.bits -= kOnStack) != 0) [[unlikely]]
            left();
    }

  private:
    [[gnu::noinline]] void left() noexcept {
        if (flow_.onStack()) return;
        flow_.bits &= ~kLooks;
        if ((flow_.bits & (kCancelLatch | kOrphan | kOwned)) != 0) leaveFlow(flow_);
    }

    Flow& flow_;
};

/// One closing runs; when the last of nested ones ends, cancels that waited for it are performed.
class ClosingScope {
  public:
    explicit ClosingScope(Flow& flow) noexcept : flow_(flow), share_(flow.share()) {
        ++share_.closings;
    }
    ClosingScope(const ClosingScope&) = delete;
    ClosingScope& operator=(const ClosingScope&) = delete;
    ~ClosingScope() {
        if (share_.closings == 1 && !share_.cancels.empty()) [[unlikely]]
            perform();
        --share_.closings;
    }

    /// To be called when a closing has done what it can. If the line isn't shielded from a latched
    /// cancel of its flow, the destructor leaves what waits to that cancel.
    static void noteOutlived(const Line& line) noexcept {
        line.flow->share().outlived = !cancelled(line);
    }

  private:
    void perform() noexcept;  // cancel.cpp

    Flow& flow_;
    EngineShare& share_;
};

/// An error handler runs, whose own calls of cancel() are performed at once: they don't wait for
/// the closing that called it, and perform none that do.
class ImmediateCancelScope {
  public:
    explicit ImmediateCancelScope(EngineShare& share) noexcept
        : share_(share), closings_(std::exchange(share.closings, 0)) {
        cancels_.append(share.cancels);
    }
    ImmediateCancelScope(const ImmediateCancelScope&) = delete;
    ImmediateCancelScope& operator=(const ImmediateCancelScope&) = delete;
    ~ImmediateCancelScope() {
        share_.closings = closings_;
        share_.cancels.append(cancels_);
    }

  private:
    EngineShare& share_;
    List<RunNode> cancels_;
    std::uint32_t closings_;
};

}  // namespace steptree::detail
