#pragma once

#include <atomic>

#include "steptree/abi.hpp"
#include "steptree/detail/thread.hpp"

namespace steptree::detail {

class ToolCore;

/// Whose a guard is that knows no lock: the tool's whose flows have used it first. Those of others
/// may use it if this thread drives that tool, too; once that has gone, the next one's. So a second
/// thread is noticed before it has looked at anything.
class STEPTREE_VISIBLE Home {
  public:
    /// `kind`: what the user calls the guard; with "Thread" in front it's the one for threads.
    explicit Home(const char* kind) noexcept : kind_(kind) {}
    Home(const Home&) = delete;
    Home& operator=(const Home&) = delete;

    /// Whether it is that tool's.
    bool has(const ToolCore& core) const noexcept {
        return core_.load(std::memory_order_relaxed) == &core;
    }
    /// Whether flows of that tool may use the guard, on the tool's thread.
    bool takes(const ToolCore& core) noexcept { return has(core) || settles(core); }
    /// InternalError to the caller if they may not.
    void check(const char* call, const ToolCore& core) {
        if (!takes(core)) [[unlikely]]
            refuse(call);
    }
    /// The same for a call that no flow makes: anybody's until a flow has used the guard.
    void checkHere(const char* call) const {
        const bool known = core_.load(std::memory_order_relaxed) == nullptr ||
                           thread_.load(std::memory_order_relaxed) == thisThread();
        if (!known && !isHere()) [[unlikely]]
            refuse(call);
    }

    /// Of the guard that this one is a part of.
    void isPartOf(const char* kind) noexcept { kind_ = kind; }

  private:
    bool settles(const ToolCore& core) noexcept;
    bool isHere() const noexcept;
    [[noreturn]] void refuse(const char* call) const;

    const char* kind_;
    std::atomic<const ToolCore*> core_{nullptr};     // not counted: only compared
    mutable std::atomic<ThreadId> thread_{nullptr};  // that was found to be its thread
};

/// Of a guard with a lock.
struct STEPTREE_VISIBLE Anywhere {
    explicit Anywhere(const char*) noexcept {}
    bool has(const ToolCore&) const noexcept { return true; }
    bool takes(const ToolCore&) const noexcept { return true; }
    void check(const char*, const ToolCore&) const noexcept {}
    void checkHere(const char*) const noexcept {}
    void isPartOf(const char*) noexcept {}
};

}  // namespace steptree::detail
