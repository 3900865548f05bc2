// libuv: its timers, and how another thread reaches its loop.
#include <uv.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../harness.hpp"
#include "../rounds.hpp"

namespace bench {

const char* version() noexcept {
    static const std::string text = std::string("libuv ") + uv_version_string();
    return text.c_str();
}

namespace {

struct Loop : uv_loop_t {
    Loop() { uv_loop_init(this); }
    ~Loop() {
        uv_run(this, UV_RUN_DEFAULT);
        uv_loop_close(this);
    }
};

void close(uv_timer_t& timer) {
    uv_close(reinterpret_cast<uv_handle_t*>(&timer), nullptr);
}

void setAndCancel(Run& run, Loop& loop, uv_timer_t& timer) {
    std::size_t fired = 0;
    std::size_t stopped = 0;
    timer.data = &fired;
    const auto active = [&timer] {
        return uv_is_active(reinterpret_cast<const uv_handle_t*>(&timer)) != 0;
    };
    const auto fire = [](uv_timer_t* it) { ++*static_cast<std::size_t*>(it->data); };
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        uv_timer_start(&timer, fire, static_cast<std::uint64_t>(farDelay(i)), 0);
        const bool armed = isChecked(i) && active();
        uv_timer_stop(&timer);
        stopped += armed && !active() ? 1 : 0;
    }
    run.stop();
    run.expect("stopped", stopped, checked(run.size));
    uv_timer_start(&timer, fire, 1, 0);
    while (active()) uv_run(&loop, UV_RUN_NOWAIT);  // ONCE would then wait for the others
    run.expect("fired", fired, 1U);
}

template <std::size_t count>
void timerCancel(Run& run) {
    std::vector<uv_timer_t> timers(count + 1);
    Loop loop;
    for (std::size_t i = 0; i <= count; ++i) {
        uv_timer_init(&loop, &timers[i]);
        if (i == count) continue;
        uv_timer_start(
            &timers[i], [](uv_timer_t*) {}, static_cast<std::uint64_t>(farDelay(i)), 0);
    }
    setAndCancel(run, loop, timers[count]);
    for (uv_timer_t& timer : timers) close(timer);
}

void timerFired(Run& run) {
    std::vector<uv_timer_t> timers(run.size);
    std::size_t fired = 0;
    Loop loop;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        uv_timer_init(&loop, &timers[i]);
        timers[i].data = &fired;
        uv_timer_start(
            &timers[i], [](uv_timer_t* it) { ++*static_cast<std::size_t*>(it->data); },
            static_cast<std::uint64_t>(timerDelay(i)), 0);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    run.stop();
    for (uv_timer_t& timer : timers) close(timer);
    run.expect("fired", fired, run.size);
}

/// Callbacks that other threads hand to a loop: under a mutex, with one wake-up for all that come
/// until the loop looks.
class Inbox {
  public:
    Inbox(Loop& loop, Rounds<std::size_t>& rounds) : rounds_(rounds) {
        uv_async_init(&loop, &async_,
                      [](uv_async_t* it) { static_cast<Inbox*>(it->data)->take(); });
        async_.data = this;
    }

    void post(std::size_t item) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            items_.push_back(item);
        }
        uv_async_send(&async_);
    }
    std::size_t taken() const noexcept { return taken_; }
    void stop() {
        stopped_ = true;
        uv_async_send(&async_);
    }

  private:
    void take() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            items_.swap(now_);
        }
        for (const std::size_t item : now_) {
            ++taken_;
            rounds_.add(item);
        }
        now_.clear();
        if (stopped_) uv_close(reinterpret_cast<uv_handle_t*>(&async_), nullptr);
    }

    Rounds<std::size_t>& rounds_;
    uv_async_t async_{};
    std::mutex mutex_;
    std::vector<std::size_t> items_;
    std::vector<std::size_t> now_;
    std::size_t taken_ = 0;
    std::atomic<bool> stopped_{false};
};

void completionThread(Run& run) {
    Rounds<std::size_t> waiting(kRound);
    for (std::size_t i = 0; i < kRound; ++i) waiting.add(i);
    const std::size_t rounds = (run.size + kRound - 1) / kRound;
    Loop loop;
    Inbox inbox(loop, waiting);
    std::thread thread([&loop] { uv_run(&loop, UV_RUN_DEFAULT); });
    run.start();
    for (std::size_t i = 0; i < rounds; ++i) {
        waiting.complete([&inbox](std::size_t item) { inbox.post(item); });
    }
    waiting.await();
    run.stop();
    run.performed(rounds * kRound);
    inbox.stop();
    thread.join();
    run.expect("taken", inbox.taken(), rounds * kRound);
}

const Scenario scenarios[] = {
    {"timer_cancel", timerCancel<kArmed>},
    {"deferred_cancel", timerCancel<kArmed>},
    {"timer_fired", timerFired},
    {"completion_thread", completionThread, {.small = 10'000}},
    {"grows_timers_1k", timerCancel<1000>, kGrows},
    {"grows_timers_30k", timerCancel<30'000>, kGrows},
    {"grows_timers_300k", timerCancel<300'000>, kGrows},
    {"grows_timers_1M", timerCancel<1'000'000>, kGrows},
};

}  // namespace
}  // namespace bench
