// An item of a map that is ready at once, 256 of them at a time; results go to a sink.
#include <optional>
#include <steptree/map.hpp>

#include "scenario.hpp"

namespace bench {
namespace {

constexpr std::size_t kLimit = 256;

void map(Run& run) {
    Driver driver;
    std::size_t sum = 0;
    std::size_t next = 0;
    Flow<Needs{.branches = kLimit, .maps = 1}> flow{driver.tool};
    const auto numbers = [&next, size = run.size]() -> std::optional<std::size_t> {
        return next < size ? std::optional<std::size_t>(next++) : std::nullopt;
    };
    run.start();
    flow.add(steptree::map<std::size_t>(
        numbers, {.limit = kLimit}, [](IAsyncSteps& asi, std::size_t item) { asi.success(item); },
        [&sum](std::size_t item, std::size_t) { sum += item; }));
    flow.execute();
    driver.finish(flow);
    run.stop();
    run.expect("sum of the items", sum, run.size * (run.size - 1) / 2);
}

const Scenario scenario{"map", map};

}  // namespace
}  // namespace bench
