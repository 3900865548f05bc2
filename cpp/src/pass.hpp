#pragma once

#include "fast.hpp"
#include "steptree/detail/toolcore.hpp"

/// What a tool does again and again, for those that drive one.
namespace steptree::detail {

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
inline bool ToolCore::call(RunNode& node) noexcept {
    node.run(&node);
    if (kQuietPass && !attention_) [[likely]]
        return true;
    return goesOn();
}

/// The inbox, then the snapshot of the queue, until that is empty or the budget is used up.
inline void ToolCore::runPass() noexcept {
    become(Mode::runs);
    if (!kQuietPass || !inbox_.empty() || attention_) [[unlikely]]
        begin();
    if (stopped()) [[unlikely]]
        return;
    RunNode* const only = kLoneNode ? queue_.only() : nullptr;
    const bool goesOn = only != nullptr ? call(*only) && queue_.open() : queue_.begin();
    if (goesOn) [[unlikely]]
        runRest();
}

inline std::int64_t ToolCore::round() noexcept {
    if (clocked_ && isOverdue()) [[unlikely]] {
        if (!startsLate()) return kNever;
    }
    budget_.refill();
    if (budget_.isTight()) [[unlikely]]
        startBudget();
    runPass();
    if (!kIdleTool || clocked_ || !budget_.isFresh()) [[unlikely]]
        return endRound();
    if (!queue_.empty() || !inbox_.empty()) {
        become(Mode::awake);
        return 0;
    }
    become(idle_);
    return kNever;
}

}  // namespace steptree::detail
