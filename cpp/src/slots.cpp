#include "steptree/detail/slots.hpp"

#include <algorithm>
#include <new>

#include "steptree/completion.hpp"

namespace steptree::detail {

namespace {

constexpr std::size_t kSlots = (SlotPage::kSize - sizeof(SlotPage)) / sizeof(Slot);

/// Where the pages lie in memory that is larger by one.
std::byte* firstPage(std::byte* memory) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(memory);
    return memory + ((at + SlotPage::kSize - 1) / SlotPage::kSize * SlotPage::kSize - at);
}

Slot* slotsOf(std::byte* page) noexcept {
    return reinterpret_cast<Slot*>(page + sizeof(SlotPage));
}

}  // namespace

void Slots::grow() {
    const std::size_t count = pages_.empty() ? 1 : std::min(kMostPages, 2 * pages_.back().count);
    auto memory = std::make_unique_for_overwrite<std::byte[]>((count + 1) * SlotPage::kSize);
    std::byte* const first = firstPage(memory.get());
    pages_.push_back({std::move(memory), count});
    for (std::size_t page = count; page-- > 0;) makePage(first + page * SlotPage::kSize);
}

void Slots::makePage(std::byte* at) noexcept {
    ::new (at) SlotPage{share_, ops_};
    for (std::size_t i = kSlots; i-- > 0;) free(::new (slotsOf(at) + i) Slot);
    made_ += kSlots;
}

void* Slots::arrived(Slot* slot) noexcept {
    if (slot->use == 0) {
        free(slot);
        return nullptr;
    }
    slot->ticket.store(Slot::kTakenHere, std::memory_order_relaxed);
    return slot->owner();
}

void Slots::close() noexcept {
    closed_ = true;
    for (const Pages& pages : pages_) {
        std::byte* const first = firstPage(pages.memory.get());
        for (std::size_t i = 0; i < pages.count * kSlots; ++i) {
            Slot& slot = slotsOf(first + i / kSlots * SlotPage::kSize)[i % kSlots];
            // Whoever takes it in this very moment finds the inbox closed.
            std::uint64_t seen = slot.ticket.load(std::memory_order_relaxed);
            if (seen % Slot::kStates != Slot::kOpen) continue;
            slot.ticket.compare_exchange_strong(seen, Slot::kFree, std::memory_order_acq_rel,
                                                std::memory_order_relaxed);
        }
    }
}

}  // namespace steptree::detail
