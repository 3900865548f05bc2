#include "tally.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bench {

namespace {

constexpr double kSteps = 50;  // of two percent

/// Milliseconds of the CPU, of all threads.
double cpuTime() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto ms = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
    };
    return ms(used.ru_utime) + ms(used.ru_stime);
}

std::string listOf(const std::string& entries) {
    return "[" + entries.substr(0, entries.size() - (entries.empty() ? 0 : 1)) + "]";
}

}  // namespace

bool Tally::isOver() {
    const std::lock_guard locked(mutex_);
    return isOver_;
}

void Tally::start() {
    const std::lock_guard locked(mutex_);
    isCounting_ = true;
    cpu_ = cpuTime();
}

void Tally::add(Clock::time_point began) {
    const std::chrono::duration<double, std::micro> took = Clock::now() - began;
    const std::lock_guard locked(mutex_);
    if (!isCounting_) return;
    ++count_;
    ++times_[std::lround(std::log(std::max(1.0, took.count())) * kSteps)];
}

void Tally::job(std::int64_t chain, std::int64_t number) {
    const std::lock_guard locked(mutex_);
    Chain& known = chains_[chain];
    known.last = std::max(known.last, number);
    ++known.count;
}

void Tally::fail(const std::string& why) {
    const std::lock_guard locked(mutex_);
    if (failure_.empty()) failure_ = why;
    isOver_ = true;
}

std::string Tally::stop() {
    const std::lock_guard locked(mutex_);
    isCounting_ = false;
    isOver_ = true;
    if (!failure_.empty()) throw std::runtime_error(failure_);
    std::string times;
    for (const auto& [step, count] : times_)
        times += "[" + std::to_string(step) + "," + std::to_string(count) + "],";
    std::string chains;
    for (const auto& [chain, known] : chains_) {
        chains += "[" + std::to_string(chain) + "," + std::to_string(known.last) + "," +
                  std::to_string(known.count) + "],";
    }
    return R"({"count":)" + std::to_string(count_) + R"(,"cpu":)" +
           std::to_string(cpuTime() - cpu_) + R"(,"times":)" + listOf(times) + R"(,"chains":)" +
           listOf(chains) + "}";
}

}  // namespace bench
