#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "steptree/detail/waiters.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/results.hpp"

namespace steptree::detail {

/// What is in a channel's buffer. Takes room as it is asked to, and keeps it.
class PipeBuffer {
  public:
    std::size_t size() const noexcept { return size_; }
    void reserve(std::size_t size) {
        if (size > places_.size()) grow(size);
    }
    /// There is room.
    void push(Results& value) noexcept { at(size_++) = std::move(value); }
    void pushFront(Results& value) noexcept {
        first_ = (first_ + places_.size() - 1) & (places_.size() - 1);
        ++size_;
        places_[first_] = std::move(value);
    }
    /// There is one.
    void pop(Results& value) noexcept {
        value = std::move(places_[first_]);
        first_ = (first_ + 1) & (places_.size() - 1);
        --size_;
    }

  private:
    Results& at(std::size_t index) noexcept {
        return places_[(first_ + index) & (places_.size() - 1)];
    }
    void grow(std::size_t size);

    std::vector<Results> places_;  // 0, or a power of two
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

/// What becomes of an attempt to send or to receive.
enum class PipeEntry : std::uint8_t { done, wait, closed };

/// A channel, whatever the type of its values. What a receiver has been given stays the pipe's
/// until his step has ended with ok.
template <class Lock>
class STEPTREE_VISIBLE BasicPipe {
  public:
    struct Counts {
        std::int64_t size, available, senders, receivers;
    };

    BasicPipe(std::int64_t capacity, const std::string& name);
    BasicPipe(const BasicPipe&) = delete;
    BasicPipe& operator=(const BasicPipe&) = delete;

    /// Bodies of steps of their own. A value that has to wait is taken over; `sent` is set when it
    /// is taken, and has to live as long as the step.
    void send(IAsyncSteps& asi, Results& value, bool* sent = nullptr);
    void receive(IAsyncSteps& asi);
    /// For loops: it has no result if there may be one at once, or never.
    void awaitValue(IAsyncSteps& asi);

    /// InternalError on a thread whose flows may not use it.
    void checkHere(const char* call) const { home_.checkHere(call); }

    bool trySend(Results& value);
    bool tryReceive(Results& value);
    PipeEntry takeOne(Results& value);
    void close();
    bool closed() const;
    Counts count(const char* call) const;
    const std::string& name() const noexcept { return name_; }

  private:
    struct Wait;
    using Entry = PipeEntry;

    Entry attemptSend(Results& value, Wait* wait);
    Entry attemptReceive(Results& value, Wait* wait);
    bool put(Results& value);
    bool hand(Results& value);
    bool take(Results& value) noexcept;
    bool takeSent(Results& value) noexcept;
    void takeBack(Results& value) noexcept;
    void gone(Wait& wait, bool ok) noexcept;
    void fail(IAsyncSteps& asi) const;

    [[no_unique_address]] HomeOf<Lock> home_{"Channel"};
    mutable Lock mutex_;
    const std::int64_t capacity_;
    bool closed_ = false;
    Waiters senders_;
    Waiters receivers_;
    PipeBuffer buffer_;       // has room for what has been handed out too, which may come back
    std::size_t handed_ = 0;  // to receivers whose lines have not moved
    const std::string name_;
};

extern template class BasicPipe<NoMutex>;
extern template class BasicPipe<std::mutex>;

}  // namespace steptree::detail
