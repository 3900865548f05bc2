#include <csignal>
#include <filesystem>
#include <future>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "catch.hpp"
#include "codeof.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/dumponsignal.hpp"

using namespace steptree;

namespace {

/// The text of one dump.
struct Dumped {
    std::promise<std::string> text;

    DumpOptions options(int signal = SIGUSR2) {
        return {.signal = signal,
                .write = [this](std::string_view shown) { text.set_value(std::string(shown)); }};
    }
};

}  // namespace

TEST_CASE("a signal makes a tool write what its flows do", "[thread]") {
    AsyncTool tool;
    AsyncSteps flow(tool, {.name = "order"});
    std::promise<void> waits;
    flow.add([&](IAsyncSteps& asi) {
        asi.waitExternal();
        waits.set_value();
    });
    flow.execute();
    waits.get_future().wait();

    Dumped dumped;
    const auto dump = dumpOnSignal(tool, dumped.options());
    std::raise(SIGUSR2);
    const std::string text = dumped.text.get_future().get();
    CHECK(text.find("\"order\"\n└─ 0 step: waits for its completion\n") != std::string::npos);
    CHECK(dump.valid());
}

TEST_CASE("several tools dump at one signal, till each is cancelled", "[thread]") {
    AsyncTool first, second;
    Dumped one, other, more;
    auto dump = dumpOnSignal(first, one.options());
    auto gone = dumpOnSignal(first, {.write = [](std::string_view) { std::terminate(); }});
    gone.cancel();
    auto moved = std::move(dump);
    const auto dump2 = dumpOnSignal(second, other.options());
    std::raise(SIGUSR2);
    CHECK(one.text.get_future().get() == "no flow runs\n");
    CHECK(other.text.get_future().get() == "no flow runs\n");
    CHECK_FALSE(gone.valid());
    moved = dumpOnSignal(first, more.options(SIGUSR1));
    std::raise(SIGUSR1);
    CHECK(more.text.get_future().get() == "no flow runs\n");
}

TEST_CASE("the last dump of a signal gives it back", "[thread]") {
    AsyncTool tool;
    static volatile std::sig_atomic_t seen = 0;
    const auto before = std::signal(SIGUSR2, [](int) { seen = seen + 1; });
    dumpOnSignal(tool).cancel();
    std::raise(SIGUSR2);
    CHECK(seen == 1);
    std::signal(SIGUSR2, before);
}

TEST_CASE("a signal that can't be taken is refused, and leaves no thread", "[thread]") {
    AsyncTool tool;
    tool.immediate([] {});
    const auto threads = [] {
        const std::filesystem::directory_iterator all("/proc/self/task");
        return std::distance(begin(all), end(all));
    };
    const auto before = threads();
    CHECK(rig::codeOf([&] { (void)dumpOnSignal(tool, {.signal = SIGKILL}); }) ==
          errors::InternalError);
    CHECK(rig::codeOf([&] { (void)dumpOnSignal(tool, {.signal = -1}); }) == errors::InternalError);
    CHECK(threads() == before);
}
