#include "steptree/detail/slots.hpp"

namespace steptree::detail {

void Slots::grow() {
    chunks_.push_back(std::make_unique<Slot[]>(kChunk));
    for (int i = kChunk; i-- > 0;) free(&chunks_.back()[i]);
}

void* Slots::arrived(Slot* slot) noexcept {
    if (slot->owner == nullptr) {
        free(slot);
        return nullptr;
    }
    slot->ticket.store(slot->current * Slot::kStates + Slot::kTakenHere, std::memory_order_relaxed);
    return slot->owner;
}

void Slots::close() noexcept {
    closed_ = true;
    for (const auto& chunk : chunks_) {
        for (int i = 0; i < kChunk; ++i) {
            Slot& slot = chunk[i];
            // Whoever takes it in this very moment finds the inbox closed.
            std::uint64_t open = slot.current * Slot::kStates + Slot::kOpen;
            slot.ticket.compare_exchange_strong(open, ++slot.current * Slot::kStates + Slot::kFree,
                                                std::memory_order_acq_rel,
                                                std::memory_order_relaxed);
        }
    }
}

}  // namespace steptree::detail
