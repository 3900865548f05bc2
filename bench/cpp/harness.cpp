#include "harness.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "callgrind.hpp"

#if defined(__clang__)
#define BENCH_TEXT(x) #x
#define BENCH_VERSION(a, b, c) BENCH_TEXT(a) "." BENCH_TEXT(b) "." BENCH_TEXT(c)
#define BENCH_COMPILER \
    "clang " BENCH_VERSION(__clang_major__, __clang_minor__, __clang_patchlevel__)
#else
#define BENCH_COMPILER "gcc " __VERSION__
#endif
#if defined(__x86_64__)
#define BENCH_TARGET "x86-64"
#elif defined(__aarch64__)
#define BENCH_TARGET "arm64"
#else
#define BENCH_TARGET "another machine"
#endif

namespace bench {
namespace {

constexpr const char* kCompiler = BENCH_COMPILER ", " BENCH_TARGET;

Scenario* scenarios = nullptr;
bool counts = false;

std::vector<Scenario*> sorted() {
    std::vector<Scenario*> all;
    for (Scenario* it = scenarios; it != nullptr; it = it->next) all.push_back(it);
    std::sort(all.begin(), all.end(), [](const Scenario* a, const Scenario* b) {
        return std::strcmp(a->name, b->name) < 0;
    });
    return all;
}

const Scenario& find(std::string_view name) {
    for (Scenario* it = scenarios; it != nullptr; it = it->next) {
        if (it->name == name) return *it;
    }
    throw std::runtime_error("no such scenario");
}

std::int64_t now(clockid_t clock) noexcept {
    timespec time{};
    clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::size_t number(const char* text) {
    char* end = nullptr;
    const unsigned long long value = std::strtoull(text, &end, 10);
    if (end == text || *end != '\0' || value == 0) {
        throw std::runtime_error(std::string("expected a positive number, got ") + text);
    }
    return value;
}

Run perform(const Scenario& scenario, std::size_t size, Run::Purpose purpose) {
    Run run(size, purpose);
    scenario.program(run);
    return run;
}

/// The whole life's peak; getrusage would count what the process was before its exec, too.
std::size_t peakBytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
    }
    return 0;
}

void verify(const Scenario& scenario) {
    perform(scenario, scenario.traits.small, Run::Purpose::verify);
}

void time(const Scenario& scenario, std::size_t size) {
    verify(scenario);
    if (!scenario.traits.cold) {
        const std::size_t warm = std::min(size, std::max(size / 10, 2 * kWaiting));
        perform(scenario, warm, Run::Purpose::verify);
    }
    const Run run = perform(scenario, size, Run::Purpose::time);
    std::printf("{\"ns\": %.3f, \"cpu\": %.3f", run.nanoseconds(), run.worked());
    if (run.bytes()) std::printf(", \"bytes\": %.0f", *run.bytes());
    std::printf(", \"rss\": %zu}\n", peakBytes());
}

/// For callgrind --collect-atstart=no: a dump of its own for the operations of each scenario.
void count(const Scenario& scenario, std::size_t size) {
    counts = true;
    perform(scenario, size, Run::Purpose::verify);
    perform(scenario, size, Run::Purpose::count);
    CALLGRIND_DUMP_STATS_AT(scenario.name);
}

void perform(const std::vector<const char*>& words) {
    const std::string_view first = words.empty() ? "--help" : words[0];
    if (first == "--list") {
        for (const Scenario* scenario : sorted()) std::puts(scenario->name);
    } else if (first == "--version") {
        std::puts(version());
    } else if (first == "--compiler") {
        std::puts(kCompiler);
    } else if (first == "--verify" && words.size() == 1) {
        for (const Scenario* scenario : sorted()) {
            std::printf("%s\n", scenario->name);
            verify(*scenario);
        }
    } else if (first == "--count" && words.size() % 2 == 1) {
        for (std::size_t i = 1; i < words.size(); i += 2)
            count(find(words[i]), number(words[i + 1]));
    } else if (!first.starts_with("-") && words.size() == 2) {
        time(find(first), number(words[1]));
    } else {
        throw std::runtime_error(
            "usage: <scenario> <size> | --list | --version | --compiler | --verify | --count "
            "(<scenario> "
            "<size>)...");
    }
}

}  // namespace

Scenario::Scenario(const char* scenario, Program call, Traits about) noexcept
    : name(scenario), program(call), traits(about), next(std::exchange(scenarios, this)) {}

void Run::start() noexcept {
    if (purpose_ == Purpose::count) {
        CALLGRIND_TOGGLE_COLLECT;
    } else {
        worked_ -= now(CLOCK_PROCESS_CPUTIME_ID);
        taken_ -= now(CLOCK_MONOTONIC);
    }
}

void Run::stop() noexcept {
    if (purpose_ == Purpose::count) {
        CALLGRIND_TOGGLE_COLLECT;
    } else {
        taken_ += now(CLOCK_MONOTONIC);
        worked_ += now(CLOCK_PROCESS_CPUTIME_ID);
    }
}

bool countsInstructions() noexcept {
    return counts;
}

std::size_t residentBytes() {
    std::ifstream statm("/proc/self/statm");
    std::size_t all = 0;
    std::size_t resident = 0;
    statm >> all >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace bench

int main(int argc, char** argv) {
    try {
        bench::perform(std::vector<const char*>(argv + 1, argv + argc));
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s%s%s: %s\n", argv[0], argc > 1 ? " " : "", argc > 1 ? argv[1] : "",
                     e.what());
        return 1;
    }
}
