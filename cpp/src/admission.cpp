#include "steptree/detail/admission.hpp"

#include <algorithm>

#include "misuse.hpp"
#include "waiters.hpp"

namespace steptree::detail {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

/// No more than there are numbers.
std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return a > most / b ? most : a * b;
}

}  // namespace

Admission::Admission(ThrottleAlgorithm algorithm, std::int64_t max, std::int64_t period,
                     std::int64_t burst)
    : algorithm_(algorithm),
      max_(max),
      period_(period),
      full_(product(burst, period)),
      level_(full_) {
    if (algorithm == ThrottleAlgorithm::bucket && full_ > kMostCounted) {
        misuse("burst: expected an amount that can be counted in milliseconds");
    }
}

bool Admission::admit(std::int64_t now) {
    switch (algorithm_) {
        case ThrottleAlgorithm::sliding:
            return admitSliding(now);
        case ThrottleAlgorithm::bucket:
            return admitBucket(now);
        default:
            return admitFixed(now);
    }
}

void Admission::takeBack(std::int64_t now) noexcept {
    if (algorithm_ == ThrottleAlgorithm::bucket) {
        level_ = std::min(level_ + period_, full_);
    } else if (algorithm_ == ThrottleAlgorithm::fixed) {
        if (count_ > 0) --count_;
    } else if (count_ > 0) {
        const std::size_t newest =
            (oldest_ + static_cast<std::size_t>(count_) - 1) % entries_.size();
        if (entries_[newest] == now) --count_;
    }
}

void Admission::tick(std::int64_t now) noexcept {
    if (algorithm_ != ThrottleAlgorithm::fixed || now < end_) return;
    end_ = now + period_ - (now - end_) % period_;
    count_ = 0;
}

std::int64_t Admission::delay(std::int64_t now) const noexcept {
    return std::max<std::int64_t>(0, nextEntry() - now);
}

std::int64_t Admission::nextEntry() const noexcept {
    switch (algorithm_) {
        case ThrottleAlgorithm::sliding:
            return entries_[oldest_] + period_;
        case ThrottleAlgorithm::bucket:
            return filled_ + (period_ - level_ + max_ - 1) / max_;
        default:
            return end_;
    }
}

bool Admission::isNew(std::int64_t now) noexcept {
    switch (algorithm_) {
        case ThrottleAlgorithm::sliding: {
            const auto newest = oldest_ + static_cast<std::size_t>(count_) - 1;
            return count_ == 0 || now - entries_[newest % entries_.size()] >= period_;
        }
        case ThrottleAlgorithm::bucket:
            fill(now);
            return level_ == full_;
        default:
            return now >= end_;
    }
}

bool Admission::admitFixed(std::int64_t now) noexcept {
    if (now >= end_) {
        end_ = now + period_;
        count_ = 0;
    }
    if (count_ >= max_) return false;
    ++count_;
    return true;
}

bool Admission::admitSliding(std::int64_t now) {
    while (count_ > 0 && now - entries_[oldest_] >= period_) {
        oldest_ = (oldest_ + 1) % entries_.size();
        --count_;
    }
    if (count_ >= max_) return false;
    if (static_cast<std::size_t>(count_) == entries_.size()) {
        std::rotate(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(oldest_),
                    entries_.end());
        oldest_ = 0;
        entries_.resize(static_cast<std::size_t>(
            std::min<std::int64_t>(max_, std::max<std::int64_t>(8, 2 * count_))));
    }
    entries_[(oldest_ + static_cast<std::size_t>(count_)) % entries_.size()] = now;
    ++count_;
    return true;
}

bool Admission::admitBucket(std::int64_t now) noexcept {
    fill(now);
    if (level_ < period_) return false;
    level_ -= period_;
    return true;
}

void Admission::fill(std::int64_t now) noexcept {
    if (filled_ != kNever && now > filled_) {
        const std::int64_t gained = product(now - filled_, max_);
        level_ = gained >= full_ - level_ ? full_ : level_ + gained;
    }
    filled_ = std::max(filled_, now);
}

}  // namespace steptree::detail
