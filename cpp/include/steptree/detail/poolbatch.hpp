#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "steptree/detail/pooltask.hpp"

namespace steptree::detail {

/// Places for results that several threads fill, each its own; std::vector<bool> has no such.
template <class R>
class BatchResults {
  public:
    using Type = std::vector<R>;
    explicit BatchResults(std::size_t size) : values_(size) {}

    template <class Make>
    void make(std::size_t i, Make&& call) {
        values_[i].emplace(call());
    }
    void settle(Promise<Type>& promise) {
        Type all;
        all.reserve(values_.size());
        for (auto& value : values_) all.push_back(std::move(*value));
        promise.success(std::move(all));
    }

  private:
    std::vector<std::optional<R>> values_;
};

template <>
class BatchResults<void> {
  public:
    using Type = void;
    explicit BatchResults(std::size_t) {}

    template <class Make>
    void make(std::size_t, Make&& call) {
        call();
    }
    void settle(Promise<void>& promise) { promise.success(); }
};

/// A function and the items that it is called with, by several jobs.
template <class Item, class F>
class Batch final : public std::enable_shared_from_this<Batch<Item, F>> {
    using R = PoolResult<F, Item&>;
    static_assert(!FutureLike<R>, "a task of a sequence can't return a future");

  public:
    template <class G>
    Batch(std::vector<Item> items, G&& fn)
        : items_(std::move(items)), fn_(std::forward<G>(fn)), results_(items_.size()) {}

    auto future() const { return promise_.future(); }

    template <class Hand>
    void start(int size, int threads, Hand&& hand) {
        promise_.onCancel([weak = this->weak_from_this()] {
            if (const auto self = weak.lock()) self->abort(cancelled());
        });
        if (size < 0) {
            promise_.error(errors::InternalError, "runClusters: expected a size of 0 or more");
            return;
        }
        const auto parts = split(size != 0 ? static_cast<std::size_t>(size) : evenly(threads));
        try {
            for (const auto& part : parts) hand(part);
        } catch (...) {
            abort(std::current_exception());
        }
        ended();  // start() itself counts as one, so that none is the last before all are known
    }

  private:
    /// The items from `from` to `to`.
    class Part final : public PoolJob {
      public:
        Part(std::shared_ptr<Batch> batch, std::size_t from, std::size_t to)
            : batch_(std::move(batch)), from_(from), to_(to) {}

      private:
        void run(PoolHooks& hooks) noexcept override {
            const auto batch = std::move(batch_);
            batch->work(hooks, from_, to_);
            batch->ended();
        }
        void dropped(const std::exception_ptr& error) noexcept override {
            const auto batch = std::move(batch_);
            batch->abort(error);
            batch->ended();
        }

        std::shared_ptr<Batch> batch_;
        std::size_t from_;
        std::size_t to_;
    };
    using Parts = std::vector<std::shared_ptr<Part>>;

    std::size_t evenly(int threads) const {
        const auto parts = static_cast<std::size_t>(std::max(threads, 1));
        return std::max<std::size_t>((items_.size() + parts - 1) / parts, 1);
    }

    Parts split(std::size_t size) {
        Parts parts;
        parts.reserve((items_.size() + size - 1) / size);
        for (std::size_t from = 0; from < items_.size(); from += size) {
            const std::size_t to = std::min(from + size, items_.size());
            parts.push_back(std::make_shared<Part>(this->shared_from_this(), from, to));
        }
        left_ += parts.size();
        const std::lock_guard lock(mutex_);
        parts_.assign(parts.begin(), parts.end());
        return parts;
    }

    void work(PoolHooks& hooks, std::size_t from, std::size_t to) noexcept {
        try {
            const std::stop_callback chain(hooks.stop.get_token(),
                                           [this] { stop_.request_stop(); });
            for (std::size_t i = from; i < to && !over_.load(std::memory_order_relaxed); ++i) {
                results_.make(i, [&]() -> R { return callWithToken(fn_, stop_, items_[i]); });
            }
        } catch (...) {
            abort(std::current_exception());
        }
    }

    /// The first error counts; what hasn't started is dropped, which comes back here as nothing.
    void abort(const std::exception_ptr& error) noexcept {
        std::vector<std::weak_ptr<Part>> parts;
        {
            const std::lock_guard lock(mutex_);
            if (over_) return;
            over_ = true;
            error_ = error;
            parts.swap(parts_);
        }
        stop_.request_stop();
        for (const auto& weak : parts) {
            if (const auto part = weak.lock()) part->drop(error);
        }
    }

    void ended() noexcept {
        if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        if (const std::exception_ptr error = firstError()) {
            promise_.fail(error);
            return;
        }
        try {
            results_.settle(promise_);
        } catch (...) {
            promise_.fail(std::current_exception());
        }
    }

    /// A cancel may come while the last part ends.
    std::exception_ptr firstError() {
        const std::lock_guard lock(mutex_);
        return error_;
    }

    std::vector<Item> items_;
    F fn_;
    BatchResults<R> results_;
    Promise<typename BatchResults<R>::Type> promise_;
    std::stop_source stop_;
    std::atomic<std::size_t> left_{1};
    std::atomic<bool> over_{false};

    std::mutex mutex_;
    std::exception_ptr error_;
    std::vector<std::weak_ptr<Part>> parts_;
};

/// A vector that is given away is kept as it is; what can't be copied is moved.
template <class Range>
auto itemsOf(Range&& range) {
    using std::begin;
    using Item = typename std::iterator_traits<decltype(begin(range))>::value_type;
    if constexpr (std::is_same_v<Range, std::vector<Item>>) {
        return std::vector<Item>(std::move(range));
    } else {
        std::vector<Item> items;
        for (auto&& item : range) {
            if constexpr (std::is_copy_constructible_v<Item>) {
                items.push_back(item);
            } else {
                items.push_back(std::move(item));
            }
        }
        return items;
    }
}

template <class Range, class F>
auto makeBatch(Range&& range, F&& fn) {
    auto items = itemsOf(std::forward<Range>(range));
    using Item = typename decltype(items)::value_type;
    return std::make_shared<Batch<Item, std::decay_t<F>>>(std::move(items), std::forward<F>(fn));
}

}  // namespace steptree::detail
