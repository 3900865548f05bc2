#pragma once

#include <cstdint>
#include <optional>

#include "steptree/detail/linetable.hpp"

/// Since when lines of an observed tool wait, and flows run.
namespace steptree::detail {

struct Flow;

/// What there is no memory for isn't known.
class LineTimes {
  public:
    void begun(const Flow& flow, std::int64_t now) noexcept;
    void waits(const Line& line, std::int64_t now) noexcept;
    void goesOn(const Line& line) noexcept;
    void ended(const Line& line) noexcept;
    void clear() noexcept { times_.clear(); }

    std::optional<std::int64_t> begunAt(const Flow& flow) noexcept;
    std::optional<std::int64_t> waitsSince(const Line& line) noexcept;

  private:
    struct Times {
        const Line* line = nullptr;
        std::optional<std::int64_t> begun{};
        std::optional<std::int64_t> waits{};
    };
    void add(const Times& times) noexcept;

    LineTable<Times> times_;
};

}  // namespace steptree::detail
