#include "wire.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "redischannel.hpp"

namespace steptree::detail::redis {

namespace {

/// What is written to the second wakes who polls the first.
std::array<int, 2> makePipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        throw std::system_error(errno, std::generic_category(), "RedisConnection");
    }
    for (const int end : ends) {
        fcntl(end, F_SETFL, O_NONBLOCK);
        fcntl(end, F_SETFD, FD_CLOEXEC);
    }
    return ends;
}

constexpr int kBehind = 20;
constexpr std::chrono::milliseconds kLastAnswers{500};

/// For poll(): in milliseconds, not too early.
int timeoutTill(Link::Clock::time_point until) noexcept {
    if (until == Link::Clock::time_point::max()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Link::Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

/// Signals are the program's; SIGPIPE is that of a connection which is lost.
class NoSignals {
  public:
    NoSignals() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

}  // namespace

Wire::Wire(RedisOptions options)
    : options_(std::move(options)),
      quiet_("{" + options_.prefix + ":quiet}"),
      wakes_(makePipe()),
      channel_(std::make_unique<RedisChannel>(*this)),
      asks_(options_, {}),
      hears_(options_, {.up = [this] { begin(); },
                        .heard = [this](const Reply& told) { subscriptions_.tell(told); }}),
      replicas_(options_) {
    const NoSignals none;  // the thread has none, either
    try {
        thread_ = std::thread([this] { run(); });
    } catch (...) {
        for (const int end : wakes_) close(end);
        throw;
    }
}

Wire::~Wire() {
    {
        const std::lock_guard locked(mutex_);
        closes_ = true;
    }
    wake();
    thread_.join();
    for (const int end : wakes_) close(end);
}

void Wire::send(Words words, Answer answer) {
    auto command = std::make_unique<Command>(Command{std::move(words), std::move(answer)});
    {
        const std::lock_guard locked(mutex_);
        commands_.push_back(std::move(command));
    }
    wake();
}

void Wire::listen(const std::string& channel, std::shared_ptr<Listener> listener) {
    subscriptions_.listen(channel, std::move(listener));
    wake();
}

void Wire::leave(const std::string& channel, const Listener& listener) noexcept {
    subscriptions_.leave(channel, listener);
    wake();
}

void Wire::post(Task& task) noexcept {
    {
        const std::lock_guard locked(mutex_);
        task.next = nullptr;
        *lastTask_ = &task;
        lastTask_ = &task.next;
    }
    wake();
}

/// While it hears one channel it may end others: to hiredis what comes after the last one has ended
/// belongs to nobody, also when others have begun meanwhile.
void Wire::begin() noexcept {
    hears_.say("SUBSCRIBE", quiet_);
    subscriptions_.renew();
}

void Wire::wake() const noexcept {
    [[maybe_unused]] const auto written = write(wakes_[1], "", 1);  // full: it's awake
}

void Wire::run() noexcept {
    for (;;) {
        {
            const std::lock_guard locked(mutex_);
            if (closes_) break;
        }
        runTasks();
        flush();
        wait();
        if (!timers_.standsStill()) timers_.fire();
    }
    finish();
    asks_.close();
    hears_.close();
    for (const auto& command : taken()) command->answer(Reply::gone("closed"));
}

void Wire::runTasks() noexcept {
    Task* task = nullptr;
    {
        const std::lock_guard locked(mutex_);
        task = std::exchange(tasks_, nullptr);
        lastTask_ = &tasks_;
    }
    while (task != nullptr) {
        Task* const next = task->next;
        task->run(*task);
        task = next;
    }
}

/// What guards have given back shouldn't wait for the end of their lease.
void Wire::finish() noexcept {
    const auto until = Link::Clock::now() + kLastAnswers;
    runTasks();
    replicas_.close();  // what nobody confirms any more is given back
    do {
        runTasks();
        flush();
        if (!asks_.isUp() || !asks_.isWaiting()) return;
        pollfd ready{.fd = asks_.fd(), .events = asks_.events(), .revents = 0};
        poll(&ready, 1, timeoutTill(until));
        asks_.serve(ready.revents, Link::Clock::now());
    } while (Link::Clock::now() < until);
}

Wire::Commands Wire::taken() noexcept {
    const std::lock_guard locked(mutex_);
    return std::exchange(commands_, {});
}

void Wire::flush() noexcept {
    if (asks_.isKnown()) {
        for (auto& command : taken()) asks_.send(std::move(command));
    }
    replicas_.flush();
    isBehind_ = !subscriptions_.flush(hears_);
}

void Wire::wait() noexcept {
    const bool hears = subscriptions_.isWanted();
    std::array<pollfd, 4> ready{
        {{.fd = wakes_[0], .events = POLLIN, .revents = 0},
         {.fd = asks_.fd(), .events = asks_.events(), .revents = 0},
         {.fd = hears_.fd(), .events = hears_.events(), .revents = 0},
         {.fd = replicas_.fd(), .events = replicas_.events(), .revents = 0}}};
    auto until = std::min(asks_.next(), replicas_.next());
    if (!timers_.standsStill()) until = std::min(until, timers_.next());
    if (hears) until = std::min(until, hears_.next());
    poll(ready.data(), ready.size(), isBehind_ ? kBehind : timeoutTill(until));
    std::array<char, 64> woken{};
    while (read(wakes_[0], woken.data(), woken.size()) > 0) continue;
    const auto now = Link::Clock::now();
    asks_.serve(ready[1].revents, now);
    if (hears || hears_.fd() >= 0) hears_.serve(ready[2].revents, now);
    replicas_.serve(ready[3].revents, now);
}

}  // namespace steptree::detail::redis
