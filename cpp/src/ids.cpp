#include "ids.hpp"

#include <atomic>

#include "flowextras.hpp"
#include "guardlook.hpp"

namespace steptree::detail {

namespace {

/// Of flows and guards of all threads.
std::uint64_t nextNumber() noexcept {
    static std::atomic<std::uint64_t> last;
    return ++last;
}

}  // namespace

std::uint64_t idOf(Flow& flow) {
    FlowExtras& extras = flowExtrasOf(flow);
    if (extras.number == 0) extras.number = nextNumber();
    return extras.number;
}

std::uint64_t idAtEnd(const Flow& flow) noexcept {
    const FlowExtras* const extras = flow.flowExtras();
    return extras != nullptr && extras->number != 0 ? extras->number : nextNumber();
}

std::uint64_t GuardLook::numberOf(WaitedFor& guard) noexcept {
    const std::atomic_ref number(WaitedFor::Access::numberOf(guard));
    std::uint64_t known = number.load(std::memory_order_relaxed);
    if (known != 0) return known;
    const std::uint64_t made = nextNumber();
    return number.compare_exchange_strong(known, made, std::memory_order_relaxed) ? made : known;
}

}  // namespace steptree::detail
