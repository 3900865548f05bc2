#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"

namespace {

constexpr const char* kInfo = "why this has failed: longer than what needs no memory";

std::atomic<bool> begun{false};

std::string textOf(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const steptree::StepError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("a thread that asks for an error's text waits while another one makes it",
          "[error][thread]") {
    rig::Rig rig;
    std::exception_ptr thrown;
    rig.flow.add([](steptree::IAsyncSteps& asi) { asi.error("E", kInfo); });
    rig.flow.execute([&thrown](steptree::Outcome& outcome) { thrown = outcome.error; });
    rig.tool.run();
    begun = false;
    std::string first, second;
    std::thread maker([&] {
        allocations::spared = []() noexcept {
            if (begun.exchange(true)) return true;
            begun.notify_all();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return true;
        };
        const allocations::Failing none(SIZE_MAX - 1, 0);
        first = textOf(thrown);
        allocations::spared = nullptr;
    });
    begun.wait(false);
    second = textOf(thrown);
    maker.join();
    CHECK(first == std::string("E: ") + kInfo);
    CHECK(second == first);
}
