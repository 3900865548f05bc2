#pragma once

namespace steptree::detail {

/// What has begun and not ended, in its place among those of its tool.
struct Live {
    Live* before = nullptr;
    Live* after = nullptr;  // null: it isn't live

    Live() noexcept = default;
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;

    bool live() const noexcept { return after != nullptr; }
};

/// The flows of one tool that run, in the order in which they have begun. Tool's thread only.
class LiveFlows {
  public:
    LiveFlows() noexcept { head_.before = head_.after = &head_; }

    /// Null: there is none.
    Live* first() const noexcept { return at(head_.after); }
    Live* next(const Live& flow) const noexcept { return at(flow.after); }

    void add(Live& flow) noexcept {
        Live* const last = head_.before;
        flow.before = last;
        last->after = &flow;  // between the two, as in List
        flow.after = &head_;
        head_.before = &flow;
    }
    static void remove(Live& flow) noexcept {
        flow.before->after = flow.after;
        flow.after->before = flow.before;
        flow.after = nullptr;
    }
    /// Puts it behind another one: for who goes through them while they end.
    static void moveBehind(Live& flow, Live& other) noexcept {
        if (flow.live()) remove(flow);
        flow.before = &other;
        flow.after = other.after;
        flow.after->before = other.after = &flow;
    }
    void putFirst(Live& flow) noexcept { moveBehind(flow, head_); }

  private:
    Live* at(Live* flow) const noexcept { return flow == &head_ ? nullptr : flow; }

    Live head_;
};

}  // namespace steptree::detail
