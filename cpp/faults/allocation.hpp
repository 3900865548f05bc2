#pragma once

#include <cstddef>

/// What this program does with operator new.
namespace faults {

/// How many blocks it holds.
std::size_t liveBlocks() noexcept;

/// Lets calls of this thread fail that aren't quiet: `times` of them, after `after` that succeed.
/// Ends with its scope.
class Failing {
  public:
    Failing(std::size_t after, std::size_t times) noexcept;
    Failing(const Failing&) = delete;
    Failing& operator=(const Failing&) = delete;
    ~Failing();

    /// How many have failed.
    std::size_t failed() const noexcept;
};

}  // namespace faults
