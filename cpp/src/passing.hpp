#pragma once

#include <cstddef>
#include <map>
#include <new>
#include <utility>

/// Of open steps: the error that they had last, or that a step right inside had when it closed.
/// What it has taken for one of them it keeps for the next.
namespace steptree::detail {

class Step;

class Passing {
  public:
    /// With room for some.
    Passing() {
        for (int i = 0; i < kReady; ++i) spare_.emplace(nullptr, 0);
    }

    /// False: the step has that one already. Short of memory it isn't noted.
    bool note(const Step* step, std::size_t error) noexcept {
        const auto found = steps_.find(step);
        if (found != steps_.end()) return std::exchange(found->second, error) != error;
        try {
            if (spare_.empty()) spare_.emplace(nullptr, 0);
        } catch (const std::bad_alloc&) {
            return true;
        }
        auto node = spare_.extract(spare_.begin());
        node.key() = step;
        node.mapped() = error;
        steps_.insert(std::move(node));
        return true;
    }

    /// The step is closed.
    void drop(const Step* step) noexcept {
        const auto found = steps_.find(step);
        if (found != steps_.end()) spare_.insert(steps_.extract(found));
    }

  private:
    static constexpr int kReady = 64;

    std::map<const Step*, std::size_t> steps_;
    std::multimap<const Step*, std::size_t> spare_;
};

}  // namespace steptree::detail
