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
///     push -> [ next pass ] --begin()--> [ this pass ] -> pop
class RunQueue {
  public:
    bool empty() const noexcept { return pass_.empty() && next_.empty(); }

    void push(RunNode& node) noexcept { next_.push(node); }
    static void remove(RunNode& node) noexcept { List<RunNode>::unlink(node); }

    /// Opens a pass. What an unfinished one left stays in front and is all that this one has.
    void begin() noexcept {
        if (pass_.empty()) pass_.append(next_);
    }
    RunNode* pop() noexcept { return pass_.pop(); }

    /// Everything, in running order, for a tool that closes.
    void drain(List<RunNode>& into) noexcept {
        into.append(pass_);
        into.append(next_);
    }

  private:
    List<RunNode> pass_;
    List<RunNode> next_;
};

}  // namespace steptree::detail
