#pragma once

#include <cstddef>
#include <utility>

namespace steptree::detail {

/// What an intrusive list strings together. A link is in at most one list; copying it would break
/// its neighbours.
struct Link {
    Link* prev = nullptr;  // only good while it is in a list
    Link* next = nullptr;  // null: it is in none

    Link() noexcept = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    bool linked() const noexcept { return next != nullptr; }
};

/// Circular list through its own head, so that a link leaves without knowing which list it is in.
template <class Node>
class List {
  public:
    List() noexcept { reset(); }
    List(const List&) = delete;
    List& operator=(const List&) = delete;

    bool empty() const noexcept { return head_.next == &head_; }
    Node* front() const noexcept { return empty() ? nullptr : static_cast<Node*>(head_.next); }
    Node* back() const noexcept { return empty() ? nullptr : static_cast<Node*>(head_.prev); }
    Node* before(const Node& node) const noexcept {
        return node.prev == &head_ ? nullptr : static_cast<Node*>(node.prev);
    }
    Node* after(const Node& node) const noexcept {
        return node.next == &head_ ? nullptr : static_cast<Node*>(node.next);
    }

    /// Looks at each.
    std::size_t count() const noexcept {
        std::size_t count = 0;
        for (const Link* at = head_.next; at != &head_; at = at->next) ++count;
        return count;
    }

    void push(Node& node) noexcept {
        Link* const last = head_.prev;
        node.prev = last;
        last->next = &node;  // between the two: what is written as a pair is slow to read alone
        node.next = &head_;
        head_.prev = &node;
    }

    void pushFront(Node& node) noexcept {
        node.prev = &head_;
        node.next = head_.next;
        head_.next->prev = &node;
        head_.next = &node;
    }

    /// `next` is in a list.
    static void insert(Node& node, Node& next) noexcept {
        node.prev = next.prev;
        node.next = &next;
        next.prev = node.prev->next = &node;
    }

    Node* pop() noexcept { return empty() ? nullptr : &take(); }

    /// Of a list that is not empty: the first, and that taken out.
    Node& first() const noexcept { return *static_cast<Node*>(head_.next); }
    Node& take() noexcept {
        Link* const node = head_.next;
        Link* const next = node->next;
        head_.next = next;
        next->prev = &head_;
        node->next = nullptr;
        return *static_cast<Node*>(node);
    }

    /// The only one, taken out; null if there are none or several.
    Node* takeOnly() noexcept {
        Link* const node = head_.next;
        if (node != head_.prev || node == &head_) return nullptr;
        head_.next = &head_;
        node->next = nullptr;  // between the two, as in push()
        head_.prev = &head_;
        return static_cast<Node*>(node);
    }

    static void unlink(Node& node) noexcept {
        node.prev->next = node.next;
        node.next->prev = node.prev;
        node.next = nullptr;
    }

    /// `by`, which is in no list, takes its place.
    static void replace(Node& node, Node& by) noexcept {
        by.prev = node.prev;
        by.next = std::exchange(node.next, nullptr);
        by.prev->next = by.next->prev = &by;
    }

    /// Appends all that `other` holds, in its order, and leaves it empty.
    void append(List& other) noexcept {
        if (other.empty()) return;
        other.head_.next->prev = head_.prev;
        other.head_.prev->next = &head_;
        head_.prev->next = other.head_.next;
        head_.prev = other.head_.prev;
        other.reset();
    }

  private:
    void reset() noexcept {
        head_.prev = &head_;
        head_.next = &head_;
    }

    Link head_;
};

}  // namespace steptree::detail
