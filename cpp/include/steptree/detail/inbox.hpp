#pragma once

#include <atomic>

namespace steptree::detail {

class ToolCore;

/// What another thread hands to a tool. `deliver` runs on the tool's thread and may free the node;
/// once the tool is gone it runs with `alive == false` and only frees, on whichever thread found
/// that out.
struct RemoteNode {
    RemoteNode* next = nullptr;
    void (*deliver)(ToolCore&, RemoteNode*, bool alive) noexcept = nullptr;
};

/// Many producers, one consumer that takes everything at once, in the order of posting. Neither
/// ever waits.
class Inbox {
  public:
    enum class Posted { first, more, closed };

    /// Any thread. `first` = the inbox was empty, so that its owner has to be woken if it sleeps.
    /// `closed` = not taken.
    Posted post(RemoteNode& node) noexcept {
        RemoteNode* head = head_.load(std::memory_order_relaxed);
        do {
            if (head == closedMark()) return Posted::closed;
            node.next = head;
        } while (!head_.compare_exchange_weak(head, &node, std::memory_order_seq_cst,
                                              std::memory_order_relaxed));
        return head == nullptr ? Posted::first : Posted::more;
    }

    /// Owner: whether take() would find something.
    bool empty() const noexcept { return head_.load(std::memory_order_relaxed) == nullptr; }

    /// Owner, after it has said that it sleeps: whoever posts later finds that said.
    bool staysEmpty() const noexcept { return head_.load(std::memory_order_seq_cst) == nullptr; }

    /// Owner: all nodes so far, oldest first.
    RemoteNode* take() noexcept {
        return reversed(head_.exchange(nullptr, std::memory_order_acquire));
    }

    /// Owner: the last take(); every later post() is refused.
    RemoteNode* close() noexcept {
        return reversed(head_.exchange(closedMark(), std::memory_order_acquire));
    }

  private:
    static RemoteNode* closedMark() noexcept {
        static RemoteNode mark;
        return &mark;
    }

    static RemoteNode* reversed(RemoteNode* node) noexcept {
        RemoteNode* oldest = nullptr;
        while (node != nullptr) {
            RemoteNode* next = node->next;
            node->next = oldest;
            oldest = node;
            node = next;
        }
        return oldest;
    }

    std::atomic<RemoteNode*> head_{nullptr};
};

}  // namespace steptree::detail
