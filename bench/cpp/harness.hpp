#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

/// What every subject's program is built on: `<program> <scenario> <size>` verifies a small run,
/// warms up, times `size` operations and prints one line of JSON. See bench/README.md.
namespace bench {

/// One run of a scenario: how much of it, and what came of it.
class Run {
  public:
    enum class Purpose : unsigned char { verify, time, count };

    Run(std::size_t operations, Purpose why) noexcept
        : size(operations), performed_(operations), purpose_(why) {}

    /// Operations to perform between start() and stop().
    const std::size_t size;

    /// How many it was in fact, where only multiples are possible.
    void performed(std::size_t operations) noexcept { performed_ = operations; }

    /// Only what is between the two is timed, or collected by callgrind.
    void start() noexcept;
    void stop() noexcept;

    /// Resident bytes before and after the operations.
    void usesMemory(std::size_t before, std::size_t after) noexcept {
        bytes_ =
            (static_cast<double>(after) - static_cast<double>(before)) / static_cast<double>(size);
    }

    /// Throws if the result is wrong: in every run, not in the small one alone.
    template <class A, class B>
    void expect(const char* what, const A& actual, const B& wanted) const {
        if (static_cast<std::size_t>(actual) == static_cast<std::size_t>(wanted)) return;
        throw std::runtime_error(std::string(what) + ": expected " + std::to_string(wanted) +
                                 ", got " + std::to_string(actual));
    }

    /// Per operation: that have passed, and that all threads of the process have worked.
    double nanoseconds() const noexcept { return perOperation(taken_); }
    double worked() const noexcept { return perOperation(worked_); }
    std::optional<double> bytes() const noexcept { return bytes_; }

  private:
    using Nanoseconds = std::int64_t;

    double perOperation(Nanoseconds all) const noexcept {
        return static_cast<double>(all) / static_cast<double>(performed_);
    }

    std::size_t performed_;
    Purpose purpose_;
    std::optional<double> bytes_;
    Nanoseconds taken_ = 0;
    Nanoseconds worked_ = 0;
};

/// A program of a subject: defined at namespace scope, it is in the executable's list.
struct Scenario {
    using Program = void (*)(Run&);

    struct Traits {
        /// The small run that is verified first.
        std::size_t small = 1000;
        /// Warm memory would falsify it.
        bool cold = false;
    };

    Scenario(const char* scenario, Program call) noexcept : Scenario(scenario, call, Traits{}) {}
    Scenario(const char* scenario, Program call, Traits about) noexcept;

    const char* name;
    Program program;
    Traits traits;
    Scenario* next = nullptr;
};

/// Each executable defines it: the version of the library that it measures.
const char* version() noexcept;

/// Whether this is a run for callgrind, not for the clock.
bool countsInstructions() noexcept;

/// Resident bytes of the process, now.
std::size_t residentBytes();

/// The compiler must believe that the value is used, and may have been changed.
template <class T>
void keep(T& value) noexcept {
    asm volatile("" : "+m"(value) : : "memory");
}

/// Of the scenarios whose preparation is large: one run more would not warm anything.
inline constexpr Scenario::Traits kGrows{.small = 100, .cold = true};

/// Milliseconds: of the timers that fire, and of those that are not meant to.
constexpr std::int64_t timerDelay(std::size_t i) noexcept {
    return static_cast<std::int64_t>(i * 7 % 10) + 1;
}
constexpr std::int64_t farDelay(std::size_t i) noexcept {
    return static_cast<std::int64_t>(i * 2'654'435'761 % 990'001) + 10'000;
}

/// Of operations that leave nothing behind to count: those that are looked at, so few that it costs
/// nothing.
constexpr bool isChecked(std::size_t i) noexcept {
    return i % 1024 == 0;
}
constexpr std::size_t checked(std::size_t operations) noexcept {
    return (operations + 1023) / 1024;
}

/// How many other timers are armed while one is set and cancelled.
inline constexpr std::size_t kArmed = 1000;

/// How many flows wait at a time in the scenarios `parallel` and `parallel_loops`.
inline constexpr std::size_t kWaiting = 30'000;

/// How many flows wait for one lock in the scenario `lock_contended`.
inline constexpr std::size_t kRivals = 1000;

}  // namespace bench
