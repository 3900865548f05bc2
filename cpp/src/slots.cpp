#include "steptree/detail/slots.hpp"

namespace steptree::detail {

Slot* Slots::acquire(void* owner) {
    if (free_ == nullptr) {
        chunks_.push_back(std::make_unique<Slot[]>(kChunk));
        for (int i = kChunk; i-- > 0;) free(&chunks_.back()[i]);
    }
    auto* slot = static_cast<Slot*>(free_);
    free_ = slot->next;
    slot->owner = owner;
    if (!closed_) {
        slot->ticket.store(slot->generation() * Slot::kStates + Slot::kOpen,
                           std::memory_order_release);
    }
    return slot;
}

void Slots::release(Slot* slot) noexcept {
    const std::uint64_t next = (slot->generation() + 1) * Slot::kStates + Slot::kFree;
    const std::uint64_t old = slot->ticket.exchange(next, std::memory_order_acq_rel);
    slot->owner = nullptr;
    if (old % Slot::kStates != Slot::kTakenAway) free(slot);
}

void* Slots::arrived(Slot* slot) noexcept {
    if (slot->owner == nullptr) {
        free(slot);
        return nullptr;
    }
    slot->ticket.store(slot->generation() * Slot::kStates + Slot::kTakenHere,
                       std::memory_order_relaxed);
    return slot->owner;
}

void Slots::close() noexcept {
    closed_ = true;
    for (const auto& chunk : chunks_) {
        for (int i = 0; i < kChunk; ++i) {
            std::uint64_t ticket = chunk[i].ticket.load(std::memory_order_relaxed);
            if (ticket % Slot::kStates != Slot::kOpen) continue;
            // Whoever takes it in this very moment finds the inbox closed.
            const std::uint64_t stale = (ticket / Slot::kStates + 1) * Slot::kStates + Slot::kFree;
            chunk[i].ticket.compare_exchange_strong(ticket, stale, std::memory_order_acq_rel,
                                                    std::memory_order_relaxed);
        }
    }
}

void Slots::free(Slot* slot) noexcept {
    slot->next = free_;
    free_ = slot;
}

}  // namespace steptree::detail
