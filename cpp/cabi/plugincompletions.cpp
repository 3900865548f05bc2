#include "plugincompletions.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace steptree::cabi {

namespace {

struct Kept {
    Hold<HeldAs::completion> hold;
    std::size_t copies = 1;
};

class KeptCompletions {
    using Key = std::pair<void*, std::uint64_t>;
    using Map = std::map<Key, Kept>;

  public:
    void add(Code& code, steptree_completion completion) {
        const std::lock_guard locked(mutex_);
        all_.emplace(keyOf(completion), Kept{Hold<HeldAs::completion>(&code)});
    }
    void count(steptree_completion completion) noexcept {
        const std::lock_guard locked(mutex_);
        const auto found = all_.find(keyOf(completion));
        if (found != all_.end()) ++found->second.copies;
    }
    /// What it held, if that was the last copy.
    Map::node_type uncount(steptree_completion completion) noexcept {
        const std::lock_guard locked(mutex_);
        const auto found = all_.find(keyOf(completion));
        if (found == all_.end() || --found->second.copies > 0) return {};
        return all_.extract(found);
    }

  private:
    static Key keyOf(steptree_completion completion) noexcept {
        return {completion.slot, completion.generation};
    }

    std::mutex mutex_;
    Map all_;
};

/// Never destroyed: threads of plug-ins may be late.
KeptCompletions& keptCompletions() {
    static auto* const kept = new KeptCompletions;
    return *kept;
}

}  // namespace

void keepCompletion(Code& code, steptree_completion completion) {
    keptCompletions().add(code, completion);
}
void countCopy(steptree_completion completion) noexcept {
    keptCompletions().count(completion);
}
void uncountCopy(steptree_completion completion) noexcept {
    keptCompletions().uncount(completion);
}

}  // namespace steptree::cabi
