#pragma once

#include <atomic>
#include <cstdint>

namespace steptree::detail {

class ToolCore;

/// What an inbox strings together.
struct RemoteLink {
    std::uintptr_t next = 0;  // a Posted's address
};

/// What another thread hands to a tool. `deliver` runs on the tool's thread and may free the node;
/// once the tool is gone it runs with `alive == false` and only frees, on whichever thread found
/// that out.
struct RemoteNode : RemoteLink {
    void (*deliver)(ToolCore&, RemoteNode*, bool alive) noexcept = nullptr;
};

/// A completion's slot, which has no room to say what it is: the engine knows how to deliver it.
struct Slot;

/// A RemoteNode or a Slot in an inbox.
class Posted {
  public:
    Posted() noexcept = default;
    explicit Posted(RemoteNode& node) noexcept : bits_(reinterpret_cast<std::uintptr_t>(&node)) {}
    explicit Posted(std::uintptr_t bits) noexcept : bits_(bits) {}
    static Posted ofSlot(RemoteLink& slot) noexcept {
        return Posted(reinterpret_cast<std::uintptr_t>(&slot) | kSlot);
    }

    explicit operator bool() const noexcept { return bits_ != 0; }
    std::uintptr_t bits() const noexcept { return bits_; }
    bool isSlot() const noexcept { return (bits_ & kSlot) != 0; }
    RemoteLink& link() const noexcept { return *reinterpret_cast<RemoteLink*>(bits_ & ~kSlot); }
    RemoteNode& node() const noexcept { return static_cast<RemoteNode&>(link()); }
    /// In what take() has given.
    Posted next() const noexcept { return Posted(link().next); }

  private:
    static constexpr std::uintptr_t kSlot = 1;

    std::uintptr_t bits_ = 0;
};

/// Many producers, one consumer that takes everything at once, in the order of posting. Neither
/// ever waits.
class Inbox {
  public:
    enum class Outcome { first, more, closed };

    /// Any thread. `first` = the inbox was empty, so that its owner has to be woken if it sleeps.
    /// `closed` = not taken.
    Outcome post(Posted posted) noexcept {
        std::uintptr_t head = head_.load(std::memory_order_relaxed);
        do {
            if (head == kClosed) return Outcome::closed;
            posted.link().next = head;
        } while (!head_.compare_exchange_weak(head, posted.bits(), std::memory_order_seq_cst,
                                              std::memory_order_relaxed));
        return head == 0 ? Outcome::first : Outcome::more;
    }

    /// Owner: whether take() would find something.
    bool empty() const noexcept { return head_.load(std::memory_order_relaxed) == 0; }

    /// Owner, after it has said that it sleeps: whoever posts later finds that said.
    bool staysEmpty() const noexcept { return head_.load(std::memory_order_seq_cst) == 0; }

    /// Owner: all that was posted so far, oldest first.
    Posted take() noexcept { return reversed(head_.exchange(0, std::memory_order_acquire)); }

    /// Owner: the last take(); every later post() is refused.
    Posted close() noexcept { return reversed(head_.exchange(kClosed, std::memory_order_acquire)); }

  private:
    static constexpr std::uintptr_t kClosed = 2;  // nothing has that address

    static Posted reversed(std::uintptr_t newest) noexcept {
        if (newest == kClosed) newest = 0;
        Posted oldest;
        while (newest != 0) {
            const Posted posted(newest);
            newest = posted.link().next;
            posted.link().next = oldest.bits();
            oldest = posted;
        }
        return oldest;
    }

    std::atomic<std::uintptr_t> head_{0};
};

}  // namespace steptree::detail
