#include "plugincompletions.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace steptree::cabi {

namespace {

struct Kept {
    Hold<HeldAs::completion> hold{};
    std::size_t copies = 0;  // a step that is asked twice gives the same right
};

class KeptRights {
    using Key = std::pair<void*, std::uint64_t>;
    using Map = std::map<Key, Kept>;

  public:
    void add(Code& code, Key right) {
        const std::lock_guard locked(mutex_);
        const auto [at, isNew] = all_.try_emplace(right);
        if (isNew) at->second.hold = Hold<HeldAs::completion>(&code);
        ++at->second.copies;
    }
    void count(Key right) noexcept {
        const std::lock_guard locked(mutex_);
        const auto found = all_.find(right);
        if (found != all_.end()) ++found->second.copies;
    }
    /// What it held, if that was the last copy.
    Map::node_type uncount(Key right) noexcept {
        const std::lock_guard locked(mutex_);
        const auto found = all_.find(right);
        if (found == all_.end() || --found->second.copies > 0) return {};
        return all_.extract(found);
    }

  private:
    std::mutex mutex_;
    Map all_;
};

/// Never destroyed: threads of plug-ins may be late.
KeptRights& keptRights() {
    static auto* const kept = new KeptRights;
    return *kept;
}

}  // namespace

void keepRight(Code& code, void* slot, std::uint64_t generation) {
    keptRights().add(code, {slot, generation});
}
void countCopy(void* slot, std::uint64_t generation) noexcept {
    keptRights().count({slot, generation});
}
void uncountCopy(void* slot, std::uint64_t generation) noexcept {
    keptRights().uncount({slot, generation});
}

}  // namespace steptree::cabi
