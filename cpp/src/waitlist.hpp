#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

/// Lines that wait, by the steps at which they do, in the order in which they have begun. What it
/// has taken for one of them it keeps for the next.
namespace steptree::detail {

class Step;
struct Line;

class WaitList {
  public:
    struct Wait {
        Step* at;
        Line* line;
        std::int64_t since;
        Wait* before;
        Wait* after;
        Wait* chained;  // in its bucket; of a free one the next of these
    };

    WaitList() : buckets_(kReady, nullptr) {}
    WaitList(const WaitList&) = delete;
    WaitList& operator=(const WaitList&) = delete;
    ~WaitList() {
        for (Wait* each = free_; each != nullptr; each = drop(each, each->chained)) continue;
        for (Wait* each = first_; each != nullptr; each = drop(each, each->after)) continue;
    }

    /// Null: nobody waits.
    const Wait* first() const noexcept { return first_; }

    /// The last one from now on. False: short of memory it isn't noted.
    bool put(Step& at, Line& line, std::int64_t since) noexcept {
        remove(&at);
        Wait* const wait = take();
        if (wait == nullptr) return false;
        Wait*& bucket = bucketOf(&at);
        *wait = {&at, &line, since, last_, nullptr, bucket};
        bucket = wait;
        (last_ != nullptr ? last_->after : first_) = wait;
        last_ = wait;
        return true;
    }

    void remove(const Step* at) noexcept {
        for (Wait** place = &bucketOf(at); *place != nullptr; place = &(*place)->chained) {
            Wait* const wait = *place;
            if (wait->at != at) continue;
            *place = wait->chained;
            (wait->before != nullptr ? wait->before->after : first_) = wait->after;
            (wait->after != nullptr ? wait->after->before : last_) = wait->before;
            wait->chained = free_;
            free_ = wait;
            --count_;
            return;
        }
    }

  private:
    static constexpr std::size_t kReady = 64;  // a power of two

    static Wait* drop(Wait* wait, Wait* next) noexcept {
        delete wait;
        return next;
    }

    Wait*& bucketOf(const Step* at) noexcept {
        const auto bits = reinterpret_cast<std::uintptr_t>(at);
        return buckets_[(bits >> 4 ^ bits >> 12) & (buckets_.size() - 1)];
    }

    Wait* take() noexcept {
        if (count_ == buckets_.size()) grow();
        Wait* const wait = free_ != nullptr ? free_ : new (std::nothrow) Wait;
        if (wait == nullptr) return nullptr;
        if (wait == free_) free_ = wait->chained;
        ++count_;
        return wait;
    }

    /// Short of memory the chains get longer.
    void grow() noexcept try {
        std::vector<Wait*> more(2 * buckets_.size(), nullptr);
        buckets_.swap(more);
        for (Wait* wait = first_; wait != nullptr; wait = wait->after) {
            Wait*& bucket = bucketOf(wait->at);
            wait->chained = bucket;
            bucket = wait;
        }
    } catch (const std::bad_alloc&) {
        return;
    }

    std::vector<Wait*> buckets_;
    Wait* first_ = nullptr;
    Wait* last_ = nullptr;
    Wait* free_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace steptree::detail
