// Loops, branches, errors and attempts, described once.
#include <utility>

#include "defined.hpp"
#include "steptree/loop.hpp"
#include "steptree/parallel.hpp"
#include "steptree/retry.hpp"

namespace bench {
namespace {

using steptree::steps;

constexpr std::size_t kBranches = 10;

void loop(Run& run) {
    Driver driver;
    std::size_t sum = 0;
    const auto value = steptree::repeat(static_cast<std::int64_t>(run.size),
                                        [&sum](IAsyncSteps&, std::size_t i) { sum += i; });
    Flow<Needs{.steps = 2, .loops = 1}> flow{driver.tool};
    flow.add(value);
    run.start();
    flow.execute();
    driver.finish(flow);
    run.stop();
    run.expect("sum of the indices", sum, run.size * (run.size - 1) / 2);
}

template <std::size_t... I>
auto branches(std::size_t& bodies, std::index_sequence<I...>) {
    const auto body = [&bodies](IAsyncSteps&) { ++bodies; };
    return steptree::parallel((static_cast<void>(I), body)...);
}

void parallel10(Run& run) {
    std::size_t bodies = 0;
    runDefined<Needs{.branches = kBranches}>(
        run, branches(bodies, std::make_index_sequence<kBranches>()));
    run.expect("bodies", bodies, run.size * kBranches);
}

void errorNoThrow(Run& run) {
    std::size_t recovered = 0;
    const auto refused = [](IAsyncSteps& asi) { asi.errorNoThrow("Refused"); };
    const auto value =
        steps(steps(refused)).onError([&recovered](IAsyncSteps& asi, steptree::ErrorCode code) {
            if (code == "Refused") ++recovered;
            asi.success();
        });
    runDefined<Needs{.steps = 5}>(run, value);
    run.expect("errors that were handled", recovered, run.size);
}

/// What succeeds at once.
void retry(Run& run) {
    std::size_t bodies = 0;
    runDefined<Needs{.steps = 5}>(
        run, steptree::retry({.max = 3}, [&bodies](IAsyncSteps&) { ++bodies; }));
    run.expect("bodies", bodies, run.size);
}

const Scenario scenarios[] = {{"defined_loop", loop},
                              {"defined_parallel10", parallel10},
                              {"defined_error_nothrow", errorNoThrow},
                              {"defined_retry", retry}};

}  // namespace
}  // namespace bench
