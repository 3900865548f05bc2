#include "steptree/detail/lender.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>

#include "tree.hpp"

/// Few programs lock a guard other than by asi.sync(): so all that other lines pay for it is a look
/// at a bit.
namespace steptree::detail {

namespace {

/// Taken before any guard's own lock.
struct Known {
    std::mutex mutex;
    List<Lender> lenders;
};

Known& known() noexcept {
    // Guards may be destroyed after it would be; and who locks one may have no memory.
    alignas(Known) static std::byte place[sizeof(Known)];
    static auto* const all = ::new (place) Known;
    return *all;
}

std::atomic<std::uint64_t> lent{0};

}  // namespace

void Lender::know(Line& line) noexcept {
    line.bits |= kLends;
    if (known_) return;
    Known& all = known();
    const std::lock_guard locked(all.mutex);
    if (!known_.exchange(true)) all.lenders.push(*this);
}

void Lender::forget() noexcept {
    const std::lock_guard locked(known().mutex);
    List<Lender>::unlink(*this);
}

std::uint64_t Lender::lend() noexcept {
    return lent.fetch_add(1, std::memory_order_relaxed) + 1;
}

void Lender::keepAll(Line& line, std::vector<KeptPlace*>& kept) {
    Known& all = known();
    const std::lock_guard locked(all.mutex);
    for (Lender* at = all.lenders.front(); at != nullptr; at = all.lenders.after(*at)) {
        if (at->home_ != nullptr && !at->home_->isOf(line.core())) continue;
        if (at->lastOf(line) == 0) continue;
        kept.reserve(kept.size() + 1);
        if (KeptPlace* const place = at->keepFor(line)) kept.push_back(place);
    }
}

void Lender::endLine(Line& line) noexcept {
    line.bits &= ~kLends;
    Known& all = known();
    const std::lock_guard locked(all.mutex);
    for (;;) {
        Lender* last = nullptr;
        std::uint64_t most = 0;
        for (Lender* at = all.lenders.front(); at != nullptr; at = all.lenders.after(*at)) {
            if (at->home_ != nullptr && !at->home_->isOf(line.core())) continue;
            const std::uint64_t of = at->lastOf(line);
            if (of <= most) continue;
            most = of;
            last = at;
        }
        if (last == nullptr) return;
        last->takeBack(line, most);
    }
}

}  // namespace steptree::detail
