#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "steptree/detail/inbox.hpp"

namespace steptree::detail {

struct Away;

/// Where completions and the wait of a step meet. A completion is (slot, generation): it may
/// outlive the step, since slots live as long as the tool's core, and a stale one only reads
/// another generation.
///
///     free -> open -> taken here | taken away -> free (next generation)
///
/// `taken away`: a winner on another thread. What it brings is in the ticket itself, so that the
/// tool's thread finds it from the moment in which it has won, also before the slot has come
/// through the inbox.
struct Slot : RemoteNode {
    enum State : std::uint64_t {
        kFree = 0,
        kOpen = 1,
        kTakenHere = 2,
        kTakenAway = 3,
        kStates = 4
    };

    /// generation * kStates + State; with kTakenAway: the address of the packet, which is 0 if
    /// there is nothing to bring.
    std::atomic<std::uint64_t> ticket{0};
    void* owner = nullptr;      // the waiting step; tool's thread only
    std::uint64_t current = 0;  // generation; tool's thread only

    std::uint64_t generation() const noexcept { return current; }

    /// Any thread: whether a claim with this generation could still win.
    bool open(std::uint64_t generation) const noexcept {
        return ticket.load(std::memory_order_acquire) == generation * kStates + kOpen;
    }

    /// Tool's thread; the winner claims at once. Exactly one caller of a generation gets true, here
    /// or away.
    bool take(std::uint64_t generation) noexcept {
        return win(generation, generation * kStates + kTakenHere);
    }

    /// Tool's thread, of a slot that was taken here: it is open again, of a fresh generation.
    void renew() noexcept { ticket.store(++current * kStates + kOpen, std::memory_order_release); }

    /// Any other thread; the winner sets `deliver` and posts the slot to the core. The packet is
    /// the slot's then.
    bool takeAway(std::uint64_t generation, Away* packet) noexcept {
        return win(generation, reinterpret_cast<std::uintptr_t>(packet) + kTakenAway);
    }

    /// Tool's thread: a winner on another thread has taken it.
    bool isAway() const noexcept {
        return ticket.load(std::memory_order_acquire) % kStates == kTakenAway;
    }

    /// Any thread: the packet of a winner on another thread, which is the caller's now; null if
    /// there is none, or none any more.
    Away* unpack() noexcept {
        std::uint64_t seen = ticket.load(std::memory_order_acquire);
        if (seen % kStates != kTakenAway || seen == kTakenAway) return nullptr;
        const bool won = ticket.compare_exchange_strong(seen, kTakenAway, std::memory_order_acq_rel,
                                                        std::memory_order_relaxed);
        return won ? reinterpret_cast<Away*>(seen - kTakenAway) : nullptr;
    }

    /// Tool's thread, and taken away: what unpack() would give; it stays the slot's.
    Away* packet() const noexcept {
        return reinterpret_cast<Away*>(ticket.load(std::memory_order_acquire) - kTakenAway);
    }

  private:
    bool win(std::uint64_t generation, std::uint64_t taken) noexcept {
        std::uint64_t expected = generation * kStates + kOpen;
        return ticket.compare_exchange_strong(expected, taken, std::memory_order_acq_rel,
                                              std::memory_order_acquire);
    }
};

/// The slab of a tool's slots. All but what a slot says itself belongs to the tool's thread.
class Slots {
  public:
    /// An open slot of a fresh generation.
    Slot* acquire(void* owner) {
        if (free_ == nullptr) grow();
        auto* slot = static_cast<Slot*>(free_);
        free_ = slot->next;
        slot->owner = owner;
        if (!closed_) {
            slot->ticket.store(slot->current * Slot::kStates + Slot::kOpen,
                               std::memory_order_release);
        }
        return slot;
    }

    /// The step needs no completion any more: stale from now on. A slot that is on its way through
    /// the inbox is reused only after it has arrived; its packet is returned.
    [[nodiscard]] Away* release(Slot* slot) noexcept {
        const std::uint64_t next = ++slot->current * Slot::kStates + Slot::kFree;
        slot->owner = nullptr;
        const std::uint64_t seen = slot->ticket.load(std::memory_order_relaxed) % Slot::kStates;
        if (seen != Slot::kOpen && seen != Slot::kTakenAway) {
            slot->ticket.store(next, std::memory_order_relaxed);  // nobody else changes it
        } else {
            const std::uint64_t old = slot->ticket.exchange(next, std::memory_order_acq_rel);
            if (old % Slot::kStates == Slot::kTakenAway) {
                return reinterpret_cast<Away*>(old - Slot::kTakenAway);
            }
        }
        free(slot);
        return nullptr;
    }

    /// So many more at least, in use or not, until unreserve().
    void reserve(std::size_t count) {
        while (chunks_.size() * kChunk < reserved_ + count) grow();
        reserved_ += count;
    }
    void unreserve(std::size_t count) noexcept { reserved_ -= count; }

    /// A slot came through the inbox of a living tool; call it after unpack(). Returns the owner,
    /// or null if that has released the slot.
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
    std::size_t reserved_ = 0;
    bool closed_ = false;
};

}  // namespace steptree::detail
