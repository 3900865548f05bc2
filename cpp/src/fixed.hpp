#pragma once

#include "flowextras.hpp"
#include "steptree/detail/nitro.hpp"

/// The memory of a flow whose buffers are part of its NitroSteps: in the place of the blocks that
/// others take from their tool.
///
///     flow, its steps | lines of branches: branch, values, its steps | ends | this
namespace steptree::detail {

struct Launch;

/// Behind what it manages.
struct Fixed : FixedParts {
    Fixed(const NitroPlan& plan, char* regions) noexcept;
    Fixed(const Fixed&) = delete;
    Fixed& operator=(const Fixed&) = delete;

    /// For the values of the root line.
    void* values() noexcept { return values_; }

    /// One for each branch that is open.
    struct Region {
        Region* next;
    };
    /// For takeRegion(); OutOfSteps if there are less.
    void reserveRegions(Line& line, std::size_t count);
    void unreserveRegions(std::size_t count) noexcept { free_ += count; }
    /// OutOfSteps if the step of a map's item has no place in one.
    void checkItem(Line& line, std::size_t size) const;
    char* takeRegion() noexcept;
    void giveRegion(void* region) noexcept;
    /// One of those that nobody has reserved: the one that was given back last is for its owner.
    void reserveAgain() noexcept { --free_; }
    void embed(Branch& branch) noexcept;

    /// For the end of a run; null: all are taken.
    void* takeEnd() noexcept;
    void giveEnd(void* end) noexcept;

    const NitroPlan& plan() const noexcept { return *plan_; }

    Launch* launch = nullptr;  // that is on its way

  private:
    const NitroPlan* plan_;
    Region* regions_ = nullptr;
    Region* ends_ = nullptr;
    std::size_t free_ = 0;  // regions that nobody has reserved
    alignas(Results) std::byte values_[sizeof(Results)];
};

/// Null for a flow that takes its memory from its tool.
inline Fixed* fixedOf(const Flow& flow) noexcept {
    return static_cast<Fixed*>(flow.fixed());
}

/// The flow goes before its execute() has arrived.
void stopLaunch(Fixed& fixed) noexcept;

/// Raises OutOfSteps in the step whose code runs on the line; throws it to the caller.
[[noreturn]] void outOfSteps(Line& line, const std::string& info);

/// What a closure takes on the heap is no place that a fixed flow has.
inline void checkFits(Line& line, const ClosureOps& ops) {
    if (ops.boxed == 0) return;
    if (Fixed* const fixed = fixedOf(*line.flow)) {
        outOfSteps(line, "captures of " + std::to_string(ops.boxed) + " bytes: expected at most " +
                             std::to_string(fixed->plan().capture) + " (MaxCapture)");
    }
}

}  // namespace steptree::detail
