// `simple`, `step` and ten steps beside and in each other, described once.
#include <utility>

#include "defined.hpp"
#include "steptree/run.hpp"

namespace bench {
namespace {

using steptree::steps;

constexpr std::size_t kTen = 10;
constexpr std::size_t kSteps = 100;

void simple(Run& run) {
    std::size_t bodies = 0;
    runDefined<Needs{}>(run, steptree::step([&bodies](IAsyncSteps&) { ++bodies; }));
    run.expect("bodies", bodies, run.size);
}

/// As its tool's: nobody holds the flow.
void start(Run& run) {
    Driver driver;
    std::size_t bodies = 0;
    const auto value = steptree::step([&bodies](IAsyncSteps&) { ++bodies; });
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        driver.tool.start(value);
        while (bodies == i) driver.iterate();
    }
    run.stop();
    run.expect("bodies", bodies, run.size);
}

/// By futures: one is settled before the next flow is made.
void promise(Run& run) {
    Driver driver;
    std::size_t bodies = 0;
    const auto value = steptree::step([&bodies](IAsyncSteps&) { ++bodies; });
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        const auto ended = steptree::run(driver.tool, value);
        while (!ended.settled()) driver.iterate();
    }
    run.stop();
    run.expect("bodies", bodies, run.size);
}

template <std::size_t... I>
auto beside(std::size_t& bodies, std::index_sequence<I...>) {
    const auto body = [&bodies](IAsyncSteps&) { ++bodies; };
    return steps((static_cast<void>(I), body)...);
}

void flat10(Run& run) {
    std::size_t bodies = 0;
    runDefined<Needs{.steps = 3}>(run, beside(bodies, std::make_index_sequence<kTen>()));
    run.expect("bodies", bodies, run.size * kTen);
}

/// So many sequences, and the body in the innermost one.
template <std::size_t depth>
auto nested(std::size_t& bodies) {
    if constexpr (depth == 1) {
        return steps([&bodies](IAsyncSteps&) { ++bodies; });
    } else {
        return steps(nested<depth - 1>(bodies));
    }
}

void nested10(Run& run) {
    std::size_t bodies = 0;
    runDefined<Needs{.steps = kTen + 2}>(run, nested<kTen - 1>(bodies));
    run.expect("bodies", bodies, run.size);
}

void step(Run& run) {
    Driver driver;
    std::size_t bodies = 0;
    const auto value = beside(bodies, std::make_index_sequence<kSteps>());
    const std::size_t flows = (run.size + kSteps - 1) / kSteps;
    run.start();
    for (std::size_t i = 0; i < flows; ++i) {
        Flow<Needs{.steps = 3}> flow{driver.tool};
        flow.add(value);
        flow.execute();
        driver.finish(flow);
    }
    run.stop();
    run.performed(flows * kSteps);
    run.expect("bodies", bodies, flows * kSteps);
}

const Scenario scenarios[] = {{"defined_simple", simple},     {"defined_start", start},
                              {"defined_promise", promise},   {"defined_flat10", flat10},
                              {"defined_nested10", nested10}, {"defined_step", step}};

}  // namespace
}  // namespace bench
