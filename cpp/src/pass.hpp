#pragma once

#include "steptree/detail/toolcore.hpp"

/// What a tool does again and again, for those that drive one.
namespace steptree::detail {

/// How many passes this thread is in: a driven tool may run in a callback of another.
#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
extern constinit thread_local unsigned passes;

struct Serving {
    Serving() noexcept { ++passes; }
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;
    ~Serving() { --passes; }
};

inline void ToolCore::watches() noexcept {
    watches_.store(true, std::memory_order_relaxed);
}
inline bool ToolCore::stopsWatching() noexcept {
    watches_.store(false, std::memory_order_seq_cst);
    if (inbox_.staysEmpty()) return true;
    watches();
    return false;
}

/// False: the pass is over.
inline bool ToolCore::runNext() noexcept {
    if (stopped()) [[unlikely]]
        return false;
    RunNode& node = queue_.next();
    node.run(&node);
    if (!attention_) [[likely]]
        return true;
    ended();
    return !std::exchange(passOver_, false);
}

/// The inbox, then the snapshot of the queue, until that is empty or the budget is used up.
inline void ToolCore::runPass() noexcept {
    const Serving serving;
    mode_ = Mode::runs;
    if (!inbox_.empty() || attention_) [[unlikely]]
        begin();
    if (queue_.begin() && runNext() && queue_.open()) runRest();
}

inline std::int64_t ToolCore::round() noexcept {
    forgetBodies();
    if (bodyLimit_ < kMostBodies) [[unlikely]]
        startBudget();
    runPass();
    if (clocked_ || bodiesLeft_ <= kMostBodies - kFewBodies) [[unlikely]]
        return endRound();
    const bool idle = queue_.empty() && inbox_.empty();
    mode_ = idle ? idle_ : Mode::awake;
    return idle ? kNever : 0;
}

}  // namespace steptree::detail
