#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "steptree/detail/inbox.hpp"

namespace steptree::detail {

/// Where completions and the wait of a step meet. A completion is (slot, generation): it may
/// outlive the step, since slots live as long as the tool's core, and a stale one only reads
/// another generation.
///
///     free -> open -> taken here | taken away -> free (next generation)
///
/// `taken away`: a winner on another thread, whose payload comes through the inbox.
struct Slot : RemoteNode {
    enum State : std::uint64_t {
        kFree = 0,
        kOpen = 1,
        kTakenHere = 2,
        kTakenAway = 3,
        kStates = 4
    };

    std::atomic<std::uint64_t> ticket{0};  // generation * kStates + State
    void* owner = nullptr;                 // the waiting step; tool's thread only
    void* payload = nullptr;               // of a winner on another thread, written before it posts

    std::uint64_t generation() const noexcept {
        return ticket.load(std::memory_order_relaxed) / kStates;
    }

    /// Any thread: whether a claim with this generation could still win.
    bool open(std::uint64_t generation) const noexcept {
        return ticket.load(std::memory_order_acquire) == generation * kStates + kOpen;
    }

    /// Any thread; exactly one caller of a generation gets true. A winner on the tool's own thread
    /// gives `away` as false and claims at once; another sets `payload` and `deliver`, then posts
    /// the slot to the core.
    bool take(std::uint64_t generation, bool away) noexcept {
        std::uint64_t expected = generation * kStates + kOpen;
        return ticket.compare_exchange_strong(
            expected, generation * kStates + (away ? kTakenAway : kTakenHere),
            std::memory_order_acq_rel, std::memory_order_acquire);
    }
};

/// The slab of a tool's slots. All but Slot::open and Slot::take belongs to the tool's thread.
class Slots {
  public:
    /// An open slot of a fresh generation.
    Slot* acquire(void* owner) {
        if (free_ == nullptr) grow();
        auto* slot = static_cast<Slot*>(free_);
        free_ = slot->next;
        slot->owner = owner;
        if (!closed_) {
            slot->ticket.store(slot->generation() * Slot::kStates + Slot::kOpen,
                               std::memory_order_release);
        }
        return slot;
    }

    /// The step needs no completion any more: stale from now on. A slot that is on its way through
    /// the inbox is reused only after it has arrived.
    void release(Slot* slot) noexcept {
        const std::uint64_t next = (slot->generation() + 1) * Slot::kStates + Slot::kFree;
        const std::uint64_t old = slot->ticket.exchange(next, std::memory_order_acq_rel);
        slot->owner = nullptr;
        if (old % Slot::kStates != Slot::kTakenAway) free(slot);
    }

    /// A slot came through the inbox of a living tool; call it after reading the payload. Returns
    /// the owner, or null if that has released the slot: then the payload is nobody's and is
    /// dropped.
    void* arrived(Slot* slot) noexcept;

    /// Makes every completion stale: the tool is gone.
    void close() noexcept;

  private:
    static constexpr int kChunk = 64;

    void grow();
    void free(Slot* slot) noexcept {
        slot->next = free_;
        free_ = slot;
    }

    std::vector<std::unique_ptr<Slot[]>> chunks_;
    RemoteNode* free_ = nullptr;
    bool closed_ = false;
};

}  // namespace steptree::detail
