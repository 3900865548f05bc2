#include "watchdog.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "ontool.hpp"
#include "recordtext.hpp"
#include "stallwatch.hpp"
#include "waittext.hpp"

namespace steptree::detail {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// While no body is called it looks so often.
constexpr milliseconds kRest{1000};
/// A wait of many years would overflow the clock; to look too early does no harm.
constexpr std::chrono::hours kLongest{24};
/// Short of memory it tries again.
constexpr milliseconds kAgain{100};

void nameThread() noexcept {
#if defined(__linux__)
    pthread_setname_np(pthread_self(), "steptree stalls");
#elif defined(__APPLE__)
    pthread_setname_np("steptree stalls");
#endif
}

void printStuck(const StuckBody& body) {
    std::string text = "steptree: ";
    text += body.flow == 0 ? "a flow" : "flow " + std::to_string(body.flow) + quoted(body.name);
    addPlain(text += " at ", body.path);
    text += " has held the loop for " + std::to_string(body.ms) + " ms\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

Watchdog::Watchdog(ToolCore& core, std::int64_t body, Function<void(const StuckBody&)> onStuck)
    : core_(core), body_(nanoseconds(milliseconds(body)).count()), onStuck_(std::move(onStuck)) {}

void Watchdog::start(std::weak_ptr<Stalls> stalls) {
    stalls_ = std::move(stalls);
    const std::lock_guard lock(mutex_);
    thread_ = std::thread([self = shared_from_this()] { self->run(); });
    ended_ = false;
}

void Watchdog::alarm(std::int64_t ms) noexcept {
    const auto delay = std::min<nanoseconds>(
        milliseconds(std::min<std::int64_t>(ms, milliseconds(kLongest).count())), kLongest);
    {
        const std::lock_guard lock(mutex_);
        alarm_ = Clock::now() + delay;
    }
    changed_.notify_all();
}

void Watchdog::wake() noexcept {
    if (!rests_.exchange(false)) return;
    { const std::lock_guard lock(mutex_); }
    changed_.notify_all();
}

void Watchdog::stop() noexcept {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
}

/// On its own thread it returns at once; who calls it later still waits.
void Watchdog::end() noexcept {
    stop();
    std::unique_lock lock(mutex_);
    if (thread_.get_id() == std::this_thread::get_id()) return;
    changed_.wait(lock, [this] { return ended_; });
    if (thread_.joinable()) thread_.join();
}

/// That thread may have been the last one to have it.
Watchdog::~Watchdog() {
    if (thread_.joinable()) thread_.detach();
}

void Watchdog::run() {
    nameThread();
    std::unique_lock lock(mutex_);
    while (!over_) {
        if (Clock::now() >= alarm_) ring(lock);
        const Clock::time_point next = look(lock);
        if (over_) break;
        changed_.wait_until(lock, std::min({next, alarm_, Clock::now() + kLongest}));
        rests_ = false;
    }
    ended_ = true;
    changed_.notify_all();
}

Watchdog::Clock::time_point Watchdog::look(std::unique_lock<std::mutex>& lock) {
    if (body_ == 0) return Clock::time_point::max();
    const Clock::time_point now = Clock::now();
    const std::int64_t began = held_.began();
    if (began > told_) {
        const Clock::time_point due{nanoseconds(began + body_)};
        if (now < due) return due;
        say(lock, began, nanoseconds(now.time_since_epoch()).count());
    }
    const std::uint64_t version = held_.version();
    const bool rests = std::exchange(seen_, version) == version;
    if (!rests) return now + nanoseconds(body_);
    rests_ = true;
    return held_.version() == seen_ ? now + kRest : now;
}

/// Short of memory it is said later.
void Watchdog::say(std::unique_lock<std::mutex>& lock, std::int64_t began, std::int64_t now) {
    lock.unlock();
    try {
        StuckBody body;
        if (held_.read(began, body)) {
            told_ = began;
            body.ms = (now - began) / 1'000'000;
            if (onStuck_)
                onStuck_(body);
            else
                printStuck(body);
        }
    } catch (const std::bad_alloc&) {
    }
    lock.lock();
}

void Watchdog::ring(std::unique_lock<std::mutex>& lock) {
    alarm_ = Clock::time_point::max();
    lock.unlock();
    bool posted = true;
    try {
        later(*core_, [stalls = stalls_](bool alive) {
            const auto there = alive ? stalls.lock() : nullptr;
            if (there != nullptr) there->ring();
        });
    } catch (const std::bad_alloc&) {
        posted = false;
    }
    lock.lock();
    if (!posted) alarm_ = Clock::now() + kAgain;
}

}  // namespace steptree::detail
