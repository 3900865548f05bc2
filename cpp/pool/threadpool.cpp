#include "steptree/threadpool.hpp"

#include <string>
#include <utility>

#include "core.hpp"

namespace steptree {

namespace {

int notNegative(const char* what, int number) {
    if (number >= 0) return number;
    throw StepError(errors::InternalError,
                    std::string(what) + ": expected 0 or more, got " + std::to_string(number));
}

PoolOptions checked(PoolOptions options) {
    notNegative("threads", options.threads);
    notNegative("boundThreads", options.boundThreads);
    notNegative("spins", options.spins);
    return options;
}

}  // namespace

ThreadPool::ThreadPool(PoolOptions options) {
    const int threads = options.threads;
    core_ = std::make_shared<detail::PoolCore>(checked(std::move(options)));
    try {
        core_->resize(threads);
    } catch (...) {
        shutdown(Shutdown::drop);
        throw;
    }
}

ThreadPool::~ThreadPool() {
    shutdown(Shutdown::drop);
    core_->abandon();
}

void ThreadPool::hand(std::shared_ptr<detail::PoolJob> job, const TaskOptions& options) {
    core_->post(std::move(job), options);
}

void ThreadPool::resize(int threads) {
    core_->resize(notNegative("resize", threads));
}

int ThreadPool::threads() const noexcept {
    return core_->threads();
}

std::size_t ThreadPool::waiting() const noexcept {
    return core_->waiting();
}

void ThreadPool::subpool(std::string_view name, int capacity) {
    notNegative("subpool", capacity);
    if (name.empty()) throw StepError(errors::InternalError, "subpool: expected a name, got none");
    core_->limit(name, capacity);
}

void ThreadPool::shutdown(Shutdown how) {
    if (how == Shutdown::drain) {
        core_->drain();
    } else {
        core_->drop();
    }
    core_->wait();
}

}  // namespace steptree
