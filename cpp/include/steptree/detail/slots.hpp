#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "steptree/detail/inbox.hpp"

namespace steptree::detail {

struct RemoteSettlement;
struct CompletionOps;
struct EngineShare;

/// Where completions and the wait of a step meet. A completion is (slot, generation): it may
/// outlive the step, since slots live as long as the tool's core, and a stale one only reads
/// another generation. No generation of a tool is ever used twice, whichever slot it is of.
///
///     free -> open -> taken here | taken away -> free
///
/// `taken away`: a winner on another thread. What it brings is in the ticket itself, so that the
/// tool's thread finds it from the moment in which it has won, also before the slot has come
/// through the inbox.
struct Slot : RemoteLink {
    enum State : std::uint64_t {
        kFree = 0,
        kOpen = 1,
        kTakenHere = 2,
        kTakenRemotely = 3,
        kStates = 4
    };
    /// What its owner waits for.
    enum Use : std::uintptr_t {
        completion = 0,
        awaitable = 1,
        abandoned = 3,
        canceller = completion
    };

    /// kOpen + generation * kStates; kFree; kTakenHere; kTakenRemotely + the address of the packet,
    /// which is 0 if there is nothing to bring.
    std::atomic<std::uint64_t> ticket{kFree};
    std::uintptr_t use = 0;  // the owner's address + Use, 0: nobody's; tool's thread only

    /// Tool's thread: the step, or for a canceller the flow; null: nobody.
    void* owner() const noexcept {
        return reinterpret_cast<void*>(use & ~std::uintptr_t{abandoned});
    }
    bool isAwaitable() const noexcept { return (use & awaitable) != 0; }
    bool isAbandoned() const noexcept { return (use & abandoned) == abandoned; }

    /// Tool's thread: what completions are made with. Of one that is taken already: a generation
    /// that has never been open.
    std::uint64_t generation() const noexcept {
        const std::uint64_t seen = ticket.load(std::memory_order_relaxed);
        return seen % kStates == kOpen ? seen / kStates : 0;
    }

    /// Tool's thread: whether a claim could still win.
    bool isOpen() const noexcept {
        return ticket.load(std::memory_order_acquire) % kStates == kOpen;
    }

    /// Any thread: whether a claim with this generation could still win.
    bool open(std::uint64_t generation) const noexcept {
        return ticket.load(std::memory_order_acquire) == generation * kStates + kOpen;
    }

    /// Tool's thread; the winner claims at once. Exactly one caller of a generation gets true, here
    /// or away.
    bool take(std::uint64_t generation) noexcept { return win(generation, kTakenHere); }
    /// The same for whichever generation is open.
    bool take() noexcept {
        std::uint64_t seen = ticket.load(std::memory_order_relaxed);
        return seen % kStates == kOpen && win(seen / kStates, kTakenHere);
    }

    /// Any other thread; the winner posts the slot to the core. The packet is the slot's then.
    bool takeRemote(std::uint64_t generation, RemoteSettlement* packet) noexcept {
        return win(generation, reinterpret_cast<std::uintptr_t>(packet) + kTakenRemotely);
    }

    /// Tool's thread: a winner on another thread has taken it.
    bool isRemote() const noexcept {
        return ticket.load(std::memory_order_acquire) % kStates == kTakenRemotely;
    }

    /// Any thread: the packet of a winner on another thread, which is the caller's now; null if
    /// there is none, or none any more.
    RemoteSettlement* unpack() noexcept {
        std::uint64_t seen = ticket.load(std::memory_order_acquire);
        if (seen % kStates != kTakenRemotely || seen == kTakenRemotely) return nullptr;
        const bool won = ticket.compare_exchange_strong(
            seen, kTakenRemotely, std::memory_order_acq_rel, std::memory_order_relaxed);
        return won ? reinterpret_cast<RemoteSettlement*>(seen - kTakenRemotely) : nullptr;
    }

    /// Tool's thread, and taken away: what unpack() would give; it stays the slot's.
    RemoteSettlement* packet() const noexcept {
        return reinterpret_cast<RemoteSettlement*>(ticket.load(std::memory_order_acquire) -
                                                   kTakenRemotely);
    }

  private:
    bool win(std::uint64_t generation, std::uint64_t taken) noexcept {
        std::uint64_t expected = generation * kStates + kOpen;
        return ticket.compare_exchange_strong(expected, taken, std::memory_order_acq_rel,
                                              std::memory_order_acquire);
    }
};

/// A tool's slots, in pages: see SlotPage. All but what a slot says itself belongs to the tool's
/// thread.
class Slots {
  public:
    /// What completions find by a slot's address.
    Slots(EngineShare* share, const CompletionOps* ops) noexcept : share_(share), ops_(ops) {}
    Slots(const Slots&) = delete;
    Slots& operator=(const Slots&) = delete;

    /// An open slot of a fresh generation.
    Slot* acquire(void* owner, Slot::Use use = Slot::completion) {
        if (free_ == nullptr) grow();
        Slot* const slot = free_;
        free_ = reinterpret_cast<Slot*>(slot->next);
        slot->use = reinterpret_cast<std::uintptr_t>(owner) + use;
        open(*slot);
        return slot;
    }

    /// Of one that was taken here, and has the same owner: it is open again.
    void open(Slot& slot) noexcept {
        if (closed_) [[unlikely]]
            return;
        slot.ticket.store(++generation_ * Slot::kStates + Slot::kOpen, std::memory_order_release);
    }

    /// The step needs no completion any more: stale from now on. A slot that is on its way through
    /// the inbox is reused only after it has arrived; its packet is returned.
    [[nodiscard]] RemoteSettlement* release(Slot* slot) noexcept {
        slot->use = 0;
        const std::uint64_t seen = slot->ticket.load(std::memory_order_relaxed) % Slot::kStates;
        if (seen != Slot::kOpen && seen != Slot::kTakenRemotely) {
            slot->ticket.store(Slot::kFree, std::memory_order_relaxed);  // nobody else changes it
        } else {
            const std::uint64_t old = slot->ticket.exchange(Slot::kFree, std::memory_order_acq_rel);
            if (old % Slot::kStates == Slot::kTakenRemotely) {
                return reinterpret_cast<RemoteSettlement*>(old - Slot::kTakenRemotely);
            }
        }
        free(slot);
        return nullptr;
    }

    /// So many more at least, in use or not, until unreserve().
    void reserve(std::size_t count) {
        while (made_ < reserved_ + count) grow();
        reserved_ += count;
    }
    void unreserve(std::size_t count) noexcept { reserved_ -= count; }

    /// A slot came through the inbox of a living tool; call it after unpack(). Returns the owner,
    /// or null if that has released the slot.
    void* arrived(Slot* slot) noexcept;

    /// Makes every completion stale: the tool is gone.
    void close() noexcept;

  private:
    /// So many pages at once: twice as many each time.
    static constexpr std::size_t kMostPages = 16;

    /// Room for some pages, wherever it begins.
    struct Pages {
        std::unique_ptr<std::byte[]> memory;
        std::size_t count;
    };

    void grow();
    void makePage(std::byte* at) noexcept;
    void free(Slot* slot) noexcept {
        slot->next = reinterpret_cast<std::uintptr_t>(free_);
        free_ = slot;
    }

    EngineShare* share_;
    const CompletionOps* ops_;
    Slot* free_ = nullptr;
    std::uint64_t generation_ = 0;
    bool closed_ = false;
    std::size_t made_ = 0;
    std::size_t reserved_ = 0;
    std::vector<Pages> pages_;
};

}  // namespace steptree::detail
