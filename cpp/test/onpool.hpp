#pragma once

#include <atomic>
#include <semaphore>
#include <thread>
#include <utility>

#include "codeof.hpp"
#include "steptree/threadpool.hpp"

namespace onpool {

using rig::codeOf;

/// Keeps a thread of a pool until it is let go.
class Busy {
  public:
    explicit Busy(steptree::ThreadPool& pool, const steptree::TaskOptions& options = {}) {
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
