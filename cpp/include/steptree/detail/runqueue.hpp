#pragma once

#include "steptree/detail/list.hpp"

namespace steptree::detail {

/// Something that a tool runs once: a line's turn, a user's immediate. `run` may free the node.
struct RunNode : Link {
    void (*run)(RunNode*) noexcept = nullptr;

    bool queued() const noexcept { return linked(); }
};

/// The one FIFO of a tool. A pass is a snapshot: what is pushed while it runs belongs to the next
/// one.
///
///     push -> [ next pass | last .. this pass .. ] -> pop
class RunQueue {
  public:
    bool empty() const noexcept { return nodes_.empty(); }

    void push(RunNode& node) noexcept { nodes_.push(node); }
    void remove(RunNode& node) noexcept {
        if (&node == last_) [[unlikely]]
            last_ = nodes_.before(node);
        List<RunNode>::unlink(node);
    }

    /// The only node, with which a pass begins and ends; null: begin() has to open it.
    RunNode* only() noexcept { return open() ? nullptr : nodes_.takeOnly(); }

    /// Opens a pass; false: it has nothing. What an unfinished one left stays in front and is all
    /// that this one has.
    bool begin() noexcept {
        if (last_ == nullptr) {
            if (nodes_.empty()) return false;
            last_ = nodes_.back();
        }
        return true;
    }
    bool open() const noexcept { return last_ != nullptr; }

    /// Null: the pass has ended.
    RunNode* pop() noexcept { return open() ? &next() : nullptr; }

    /// Of an open pass. The one after it is fetched from memory while this one runs.
    RunNode& next() noexcept {
        RunNode& node = nodes_.take();
        if (&node == last_) {
            last_ = nullptr;
        } else {
            fetch(&nodes_.first());
        }
        return node;
    }

    /// Back to where pop() has just taken it from.
    void unpop(RunNode& node) noexcept {
        nodes_.pushFront(node);
        if (last_ == nullptr) last_ = &node;
    }

    /// For who chooses what comes next: makes that the first, and all that the next pass has.
    RunNode* front() const noexcept { return nodes_.front(); }
    RunNode* back() const noexcept { return nodes_.back(); }
    RunNode* after(const RunNode& node) const noexcept { return nodes_.after(node); }
    void bringForward(RunNode& node) noexcept {
        List<RunNode>::unlink(node);
        nodes_.pushFront(node);
        last_ = &node;
    }

    /// Everything, in running order, for a tool that closes.
    void drain(List<RunNode>& into) noexcept {
        last_ = nullptr;
        into.append(nodes_);
    }

  private:
    /// What runs is mostly a flow, whose first steps lie behind it.
    static void fetch(const void* node) noexcept {
        const char* const at = static_cast<const char*>(node);
        for (int line = 0; line < 4; ++line) __builtin_prefetch(at + 64 * line);
    }

    List<RunNode> nodes_;
    RunNode* last_ = nullptr;  // of the pass that is open
};

}  // namespace steptree::detail
