#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "steptree/detail/written.hpp"

using steptree::detail::Written;

namespace {

constexpr std::size_t kLambdas = 100'000;
constexpr std::size_t kThreads = 2;
constexpr std::array<char, 10> kFile{"order.cpp"};
constexpr std::array<char, 10> kSameFile{"order.cpp"};  // of another translation unit

/// The threads begin together, and note all lambdas in one order; `note` is told which one it is.
std::vector<Written> noted(const std::function<void(Written&, std::size_t thread)>& note) {
    std::vector<Written> lambdas(kLambdas, Written{""});
    std::atomic<std::size_t> come = 0;
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&, thread] {
            ++come;
            while (come < kThreads) std::this_thread::yield();
            for (Written& written : lambdas) note(written, thread);
        });
    }
    for (std::thread& thread : threads) thread.join();
    return lambdas;
}

std::size_t countAt(const std::vector<Written>& lambdas, std::uint32_t line) {
    std::size_t count = 0;
    for (const Written& written : lambdas) {
        if (written.knownLine() == line && std::string_view(written.file) == kFile.data()) ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("a lambda that threads add first at the same time keeps its place", "[written][thread]") {
    const auto lambdas = noted([](Written& written, std::size_t thread) {
        written.note(thread == 0 ? kFile.data() : kSameFile.data(), 12);
    });
    CHECK(countAt(lambdas, 12) == kLambdas);
}

TEST_CASE("a lambda that threads add first in several places has none of them",
          "[written][thread]") {
    const auto lambdas = noted([](Written& written, std::size_t thread) {
        written.note(kFile.data(), 12 + static_cast<std::uint32_t>(thread));
        written.note(kFile.data(), 12);
    });
    CHECK(countAt(lambdas, 0) == kLambdas);
}

TEST_CASE("a lambda whose place is read while it's noted has all of it or none",
          "[written][thread]") {
    std::atomic<std::size_t> wrong = 0;
    const auto lambdas = noted([&wrong](Written& written, std::size_t thread) {
        if (thread == 0) return written.note(kFile.data(), 12);
        const std::uint32_t line = written.knownLine();
        if (line == 0) return;
        if (line != 12 || __atomic_load_n(&written.file, __ATOMIC_RELAXED) != kFile.data()) ++wrong;
    });
    CHECK(wrong == 0);
    CHECK(countAt(lambdas, 12) == kLambdas);
}
