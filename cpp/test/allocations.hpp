#pragma once

#include <cstddef>

/// What the program does with operator new.
namespace allocations {

/// How often it has called it.
std::size_t count() noexcept;

/// How many blocks it holds.
std::size_t live() noexcept;

/// How many bytes they have.
std::size_t bytes() noexcept;

/// Says which calls of this thread never fail; null: each may.
inline thread_local bool (*spared)() noexcept = nullptr;

/// Lets calls of this thread fail: `times` of them, after `after` that succeed. Ends with its
/// scope.
class Failing {
  public:
    Failing(std::size_t after, std::size_t times) noexcept;
    Failing(const Failing&) = delete;
    Failing& operator=(const Failing&) = delete;
    ~Failing();

    /// How many have failed.
    std::size_t failed() const noexcept;
};

}  // namespace allocations
