#include "steptree/channel.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "error.hpp"
#include "latch.hpp"
#include "waiters.hpp"

/// While a receiver waits nothing is in the buffer, and nobody waits to send. While a sender waits
/// the buffer is full. Completions are called under the lock: so who waits has what he was told, or
/// is told nothing, whatever closes his step meanwhile.
namespace steptree::detail {

void PipeBuffer::grow(std::size_t size) {
    std::size_t room = places_.empty() ? 4 : 2 * places_.size();
    while (room < size) room *= 2;
    std::vector<Results> larger(room);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move(at(i));
    places_.swap(larger);
    first_ = 0;
}

/// Of a step that the pipe has added: nobody else sets anything on it, so it has ended with ok if
/// that is what its line has noted when it closes.
template <class Lock>
struct BasicPipe<Lock>::Wait : Waiter {
    enum Whose : std::uint8_t { sender, receiver, loop };

    Wait(BasicPipe& pipe, Whose whose, Line& line, Completion completion) noexcept
        : Waiter(line, std::move(completion)), pipe(pipe), whose(whose) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() { pipe.gone(*this, (line->marks & kSuccess) != 0); }
    void leave(Step&) noexcept {}
    Waits waits() const noexcept {
        return {.what = whose == sender ? Waits::send : Waits::receive, .name = &pipe.name_};
    }

    BasicPipe& pipe;
    const Whose whose;
    Results value{};
    bool* sent = nullptr;
};

namespace {

constexpr const char* kClosed = "it is closed";

/// Neither is it too late for the step, then, nor is the value lost. [timeout-30]
void taken(IAsyncSteps& asi) noexcept {
    Line& line = *stepOf(asi).line;
    if ((line.flow->bits & kLooks) != 0) [[unlikely]]
        line.marks |= kTaken;
}

}  // namespace

template <class Lock>
BasicPipe<Lock>::BasicPipe(std::int64_t capacity, const std::string& name)
    : capacity_(checkLimit("Channel: capacity", capacity, 0)), name_(name) {}

template <class Lock>
void BasicPipe<Lock>::fail(IAsyncSteps& asi) const {
    Step& step = stepOf(asi);
    latchFail(*step.line, refusal(step, "channel", name_, kClosed, errors::Closed));
}

template <class Lock>
auto BasicPipe<Lock>::count(const char* call) const -> Counts {
    home_.checkHere(call);
    const std::lock_guard locked(mutex_);
    const auto size = static_cast<std::int64_t>(buffer_.size());
    const bool endless = capacity_ == kUnlimited;
    return {.size = size,
            .available = endless ? capacity_ : std::max<std::int64_t>(0, capacity_ - size),
            .senders = senders_.count(),
            .receivers = receivers_.count()};
}

template <class Lock>
void BasicPipe<Lock>::send(IAsyncSteps& asi, Results& value, bool* sent) {
    home_.check("send", stepOf(asi).line->core());
    Entry entry = attemptSend(value, nullptr);
    if (entry == Entry::wait) {
        Wait& wait =
            newWait<Wait>(stepOf(asi), *this, Wait::sender, *stepOf(asi).line, asi.waitExternal());
        wait.value = std::move(value);
        wait.sent = sent;
        entry = attemptSend(wait.value, &wait);
        if (entry == Entry::done) asi.success();
    }
    if (entry == Entry::done) taken(asi);
    if (entry == Entry::done && sent != nullptr) *sent = true;
    if (entry == Entry::closed) fail(asi);
}

template <class Lock>
void BasicPipe<Lock>::receive(IAsyncSteps& asi) {
    home_.check("receive", stepOf(asi).line->core());
    Results value;
    Entry entry = attemptReceive(value, nullptr);
    if (entry == Entry::wait) {
        Line& line = *stepOf(asi).line;
        line.makeValues();
        Wait& wait = newWait<Wait>(stepOf(asi), *this, Wait::receiver, line, asi.waitExternal());
        entry = attemptReceive(value, &wait);
    }
    if (entry == Entry::done) {
        asi.success(std::move(value));
        taken(asi);
    }
    if (entry == Entry::closed) fail(asi);
}

template <class Lock>
void BasicPipe<Lock>::awaitValue(IAsyncSteps& asi) {
    Line& line = *stepOf(asi).line;
    home_.check("receive", line.core());
    line.makeValues();
    Wait& wait = newWait<Wait>(stepOf(asi), *this, Wait::loop, line, asi.waitExternal());
    const std::lock_guard locked(mutex_);
    if (closed_ || buffer_.size() > 0 || senders_.front() != nullptr) {
        asi.success();  // another thread was here meanwhile: the loop looks again
    } else {
        receivers_.push(wait);
    }
}

/// A `wait` is put into the queue.
template <class Lock>
auto BasicPipe<Lock>::attemptSend(Results& value, Wait* wait) -> Entry {
    const std::lock_guard locked(mutex_);
    if (closed_) return Entry::closed;
    if (put(value)) return Entry::done;
    if (wait != nullptr) senders_.push(*wait);
    return Entry::wait;
}

template <class Lock>
auto BasicPipe<Lock>::attemptReceive(Results& value, Wait* wait) -> Entry {
    const std::lock_guard locked(mutex_);
    if (take(value)) return Entry::done;
    if (closed_) return Entry::closed;
    if (wait != nullptr) receivers_.push(*wait);
    return Entry::wait;
}

template <class Lock>
bool BasicPipe<Lock>::trySend(Results& value) {
    home_.checkHere("trySend");
    const std::lock_guard locked(mutex_);
    return !closed_ && put(value);
}

template <class Lock>
bool BasicPipe<Lock>::tryReceive(Results& value) {
    home_.checkHere("tryReceive");
    const std::lock_guard locked(mutex_);
    return take(value);
}

template <class Lock>
PipeEntry BasicPipe<Lock>::takeOne(Results& value) {
    home_.checkHere("receive");
    return attemptReceive(value, nullptr);
}

template <class Lock>
void BasicPipe<Lock>::close() {
    home_.checkHere("close");
    const std::lock_guard locked(mutex_);
    const StepError error(errors::Closed, infoOf("channel", name_, kClosed));
    nameGuard(*error.data().get(), name_);
    closed_ = true;
    for (Waiters* waiters : {&senders_, &receivers_}) {
        while (Waiter* const waiter = waiters->front()) {
            waiters->remove(*waiter);
            if (static_cast<Wait*>(waiter)->whose == Wait::loop) {
                waiter->completion.success();  // it looks again, and is at its end
            } else {
                // One for each: the library counts it where ThreadSanitizer doesn't look.
                waiter->completion.fail(std::make_exception_ptr(error));
            }
        }
    }
}

template <class Lock>
bool BasicPipe<Lock>::closed() const {
    home_.checkHere("closed");
    const std::lock_guard locked(mutex_);
    return closed_;
}

/// Hands it to somebody, or into the buffer.
template <class Lock>
bool BasicPipe<Lock>::put(Results& value) {
    if (hand(value)) return true;
    if (static_cast<std::int64_t>(buffer_.size()) >= capacity_) return false;
    buffer_.reserve(buffer_.size() + handed_ + 1);
    buffer_.push(value);
    return true;
}

/// To the first who can still take it.
template <class Lock>
bool BasicPipe<Lock>::hand(Results& value) {
    while (auto* const wait = static_cast<Wait*>(receivers_.front())) {
        buffer_.reserve(buffer_.size() + handed_ + 1);
        receivers_.remove(*wait);
        if (!wait->completion.success()) continue;
        wait->state = Waiter::granted;
        wait->value = std::move(value);
        ++handed_;
        return true;
    }
    return false;
}

template <class Lock>
bool BasicPipe<Lock>::take(Results& value) noexcept {
    if (buffer_.size() == 0) return takeSent(value);
    buffer_.pop(value);
    Results sent;
    if (static_cast<std::int64_t>(buffer_.size()) < capacity_ && takeSent(sent)) {
        buffer_.push(sent);
    }
    return true;
}

/// What the first who can still say so has waited to send.
template <class Lock>
bool BasicPipe<Lock>::takeSent(Results& value) noexcept {
    while (auto* const wait = static_cast<Wait*>(senders_.front())) {
        senders_.remove(*wait);
        if (!wait->completion.success()) continue;
        value = std::move(wait->value);
        if (wait->sent != nullptr) *wait->sent = true;
        return true;
    }
    return false;
}

/// It is older than all that is in the buffer. There is room.
template <class Lock>
void BasicPipe<Lock>::takeBack(Results& value) noexcept {
    if (!hand(value)) buffer_.pushFront(value);
}

/// The step of the waiter has closed.
template <class Lock>
void BasicPipe<Lock>::gone(Wait& wait, bool ok) noexcept {
    const std::lock_guard locked(mutex_);
    if (wait.state == Waiter::queued) {
        (wait.whose == Wait::sender ? senders_ : receivers_).remove(wait);
    } else if (wait.state == Waiter::granted) {
        --handed_;
        if (ok) {
            *wait.line->values = std::move(wait.value);
        } else {
            takeBack(wait.value);
        }
    }
}

template class BasicPipe<NoMutex>;
template class BasicPipe<std::mutex>;

}  // namespace steptree::detail
