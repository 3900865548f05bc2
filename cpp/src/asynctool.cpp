#include "steptree/asynctool.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "misuse.hpp"
#include "pass.hpp"
#include "steptree/detail/coreref.hpp"
#include "visit.hpp"

namespace steptree {

using detail::CoreRef;
using detail::ToolCore;

/// The thread of a tool and how it sleeps. Shared with that thread, which may be the one that
/// destroys the tool.
struct AsyncTool::Runner {
    std::mutex mutex;
    std::condition_variable changed;
    bool woken = false;
    std::thread thread;

    void wake() {
        {
            const std::lock_guard lock(mutex);
            woken = true;
        }
        changed.notify_one();
    }

    /// What debuggers and `top -H` show.
    static void nameThread() noexcept {
#if defined(__linux__)
        pthread_setname_np(pthread_self(), "steptree");
#elif defined(__APPLE__)
        pthread_setname_np("steptree");
#endif
    }

    void run(ToolCore& core) {
        nameThread();
        core.belongTo(detail::thisThread());
        core.watches();
        while (!core.stopped()) {
            const std::int64_t wait = core.round();
            if (wait == 0 || !core.stopsWatching()) continue;
            sleep(wait);
            core.watches();
        }
        core.belongTo(nullptr);  // another thread may soon be taken for this one
    }

    void sleep(std::int64_t nanoseconds) {
        std::unique_lock lock(mutex);
        const auto isWoken = [this] { return woken; };
        // A wait of many days would overflow the clock; being woken too early does no harm.
        constexpr std::int64_t kLongest = 1'000'000'000LL * 3600 * 24;
        changed.wait_for(lock, std::chrono::nanoseconds(std::min(nanoseconds, kLongest)), isWoken);
        woken = false;
    }
};

AsyncTool::AsyncTool(IMemPool* pool, std::optional<std::uint32_t> seed)
    : Tool(new ToolCore(&Clock::steady(), pool)), runner_(std::make_shared<Runner>()) {
    if (seed) core().seed(*seed);
    core().onWake([runner = runner_] { runner->wake(); });
    core().belongTo(nullptr);
    runner_->thread =
        std::thread([runner = runner_, core = CoreRef(core())] { runner->run(*core); });
}

AsyncTool::AsyncTool(Driven options)
    : Tool(
          new ToolCore(options.clock != nullptr ? options.clock : &Clock::steady(), options.pool)) {
    if (options.seed) core().seed(*options.seed);
    core().onWake(std::move(options.wake));
    if (options.caller) core().onCaller(std::move(options.caller));
    core().sleeps();
}

AsyncTool::~AsyncTool() {
    core().stop();
    if (runner_ == nullptr) return;
    if (core().onOwnThread()) {
        runner_->thread.detach();
    } else {
        runner_->wake();
        runner_->thread.join();
    }
}

namespace {

AsyncTool::Left pass(ToolCore& core) {
    const std::int64_t wait = core.round();  // a callback may destroy the tool
    if (wait == ToolCore::kNever) return {false, AsyncTool::kNever};
    if (wait == ToolCore::kFar) return {true, AsyncTool::kNever};
    return {true, wait / 1'000'000 + (wait % 1'000'000 != 0)};
}

}  // namespace

AsyncTool::Left AsyncTool::iterate() {
    ToolCore& core = this->core();
    if (core.isHere() && !core.inCallback() && !core.isObserved()) [[likely]]
        return pass(core);
    return iterateAnew();
}

/// The tool is another thread's or nobody's, or perhaps it may not be iterated.
AsyncTool::Left AsyncTool::iterateAnew() {
    if (runner_ != nullptr) detail::misuse("iterate: this tool runs on its own thread");
    ToolCore& core = this->core();
    if (core.asksCaller() && !core.onOwnThread()) {
        const ToolCore::Visit visit(core, "iterate");
        return pass(core);
    }
    core.drive("iterate");
    return pass(core);
}

}  // namespace steptree
