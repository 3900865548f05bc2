#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace bench {

/// What a process of the bench over Redis counts: as bench/js/redis/tally.ts. Any thread.
class Tally {
  public:
    using Clock = std::chrono::steady_clock;

    bool isOver();
    void start();
    /// One operation, which began then, has ended.
    void add(Clock::time_point began);
    /// A call of that chain is run.
    void job(std::int64_t chain, std::int64_t number);
    void fail(const std::string& why);
    /// Nothing is counted any more: what was, as JSON. Throws what has failed.
    std::string stop();

  private:
    struct Chain {
        std::int64_t last = -1;
        std::int64_t count = 0;
    };

    std::mutex mutex_;
    bool isCounting_ = false;
    bool isOver_ = false;
    std::string failure_;
    std::int64_t count_ = 0;
    double cpu_ = 0;
    std::map<std::int64_t, std::int64_t> times_;  // by the logarithm of the microseconds
    std::map<std::int64_t, Chain> chains_;
};

}  // namespace bench
