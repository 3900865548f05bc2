#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "steptree/detail/random.hpp"
#include "steptree/virtualtool.hpp"

namespace steptree {

/// What an Order chooses, word by word.
class VirtualTool::Choices {
  public:
    explicit Choices(const Order& order)
        : random_(order.seed),
          list_(order.choices.value_or(std::vector<std::uint32_t>{})),
          isList_(order.choices.has_value()) {}

    /// One of so many, from 0. A single one is no choice.
    std::size_t choose(std::size_t count) {
        if (count < 2) return 0;
        if (!isList_) return random_.next() % count;
        const std::size_t place = alternatives_.size();
        alternatives_.push_back(static_cast<std::uint32_t>(count));
        return place < list_.size() ? list_[place] % count : 0;
    }

    const std::vector<std::uint32_t>& alternatives() const noexcept { return alternatives_; }

  private:
    detail::Random random_;
    std::vector<std::uint32_t> list_;
    std::vector<std::uint32_t> alternatives_;
    bool isList_;
};

}  // namespace steptree
