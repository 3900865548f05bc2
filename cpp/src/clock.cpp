#include "steptree/clock.hpp"

#include <chrono>

namespace steptree {

namespace {
class SteadyClock final : public Clock {
  public:
    std::int64_t nanoseconds() noexcept override {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    }
};
}  // namespace

Clock& Clock::steady() noexcept {
    // Never destroyed: a tool's thread may outlive main().
    static auto* const clock = new SteadyClock;
    return *clock;
}

}  // namespace steptree
