#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <thread>

#include "steptree/detail/function.hpp"

namespace steptree {

/// Which of the tasks that wait comes first. A task waits as long as there are any of a higher one.
enum class Priority : std::uint8_t { high, normal, low };

/// Where and when a ThreadPool runs a task.
struct TaskOptions {
    /// Which comes first of those that wait. Default: normal.
    Priority priority = Priority::normal;
    /// One that ThreadPool::subpool() has made; empty: none. Copied.
    std::string_view subpool = {};
    /// All tasks of one number run on one thread, in turn, as long as there is the pool: for what
    /// may be used on one thread only. Not together with `subpool`.
    std::optional<std::uint64_t> boundTo = {};
};

/// What a ThreadPool is made with. A negative number: InternalError.
struct PoolOptions {
    /// As many as the processor runs at a time, 1 at least.
    static int hardwareThreads() noexcept {
        return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    }

    /// See ThreadPool::resize().
    int threads = hardwareThreads();
    /// How many threads there are for tasks that are bound to one, on top of `threads`. `boundTo`
    /// modulo this number says which; each is started when the first task for it comes.
    int boundThreads = std::max(1, hardwareThreads() / 4);
    /// How many times a thread without a task looks for one before it sleeps. More of it takes up
    /// the next task sooner, and the processor meanwhile.
    int spins = 1000;
    /// The exception out of a task that runAndForget() was given, on the thread that ran it, maybe
    /// on several at a time. May not throw. Without it such exceptions are forgotten, too.
    detail::Function<void(std::exception_ptr)> report = {};
};

}  // namespace steptree
