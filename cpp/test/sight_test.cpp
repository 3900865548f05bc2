#include "steptree/detail/sight.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include "rig.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/mutex.hpp"
#include "steptree/virtualtool.hpp"

using namespace steptree;

namespace {

struct Blind final : detail::Witness {
    void told(const FlowEvent& /*event*/, detail::Flow& /*flow*/) noexcept override {}
    void turnEnds() noexcept override {}
};

}  // namespace

TEST_CASE("who looks at one flow again and again sees the guards that it has", "[snapshot]") {
    VirtualTool tool;
    const auto sight = tool.sight();
    sight->begin(std::make_shared<Blind>());
    Mutex mutex;
    AsyncSteps holder{tool};
    AsyncSteps waiter{tool};
    for (AsyncSteps* flow : {&holder, &waiter}) {
        flow->sync(mutex, [](IAsyncSteps& asi) { asi.waitExternal(); });
        flow->execute();
    }
    tool.run();

    const auto looks = sight->looks();
    const std::vector<detail::Flow*> flows = sight->flows();
    const std::vector<std::size_t> numbers{0, 0, 1, 0, 1, 1};
    std::vector<std::size_t> guards;
    std::vector<std::size_t> holders;
    for (const std::size_t number : numbers) {
        const detail::SeenFlow seen = looks->at(*flows.at(number));
        guards.push_back(seen.guards.size());
        holders.push_back(seen.guards.empty() ? 0 : seen.guards[0].holders.size());
    }
    CHECK(guards == std::vector<std::size_t>(numbers.size(), 1));
    CHECK(holders == std::vector<std::size_t>{1, 1, 0, 1, 0, 0});
}
