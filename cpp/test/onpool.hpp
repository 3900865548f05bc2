#pragma once

#include <atomic>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>

#include "steptree/threadpool.hpp"

namespace onpool {

/// The code of what a future failed with, or "nothing".
template <class F>
std::string codeOf(F&& call) {
    try {
        call();
    } catch (const steptree::StepError& e) {
        return e.code();
    } catch (const std::exception& e) {
        return std::string("foreign ") + e.what();
    }
    return "nothing";
}

/// Keeps a thread of a pool until it is let go.
class Busy {
  public:
    explicit Busy(steptree::ThreadPool& pool, const steptree::RunOptions& options = {}) {
        done_ = pool.run(
            [this] {
                started_.release();
                leave_.acquire();
            },
            options);
        started_.acquire();
    }
    ~Busy() { letGo(); }

    void letGo() {
        if (std::exchange(held_, false)) leave_.release();
        done_.wait();
    }

  private:
    std::binary_semaphore started_{0};
    std::binary_semaphore leave_{0};
    bool held_ = true;
    steptree::Future<> done_;
};

}  // namespace onpool
